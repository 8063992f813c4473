import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { formatInstant, type Instant } from '../../domain/clock.ts';
import { type Guild, isActive } from '../../domain/guild.ts';
import { isSnowflake } from '../../domain/identifiers.ts';
import type { Locale } from '../../domain/locale.ts';
import { firstText } from '../../domain/record.ts';
import { readPlainText } from '../../domain/text/text.ts';
import { votePath } from '../../domain/votes/vote-link.ts';
import {
  GUILD_NAME_MAX_LENGTH,
  type GuildOutcome,
  liftSanction,
  MAX_GUILD_RATE_LIMIT,
  renameGuild,
  sanctionGuild,
  setGuildListed,
  setGuildPremium,
  setGuildRateLimit,
} from '../../moderation/guilds.ts';
import type { Moderator } from '../../moderation/moderator.ts';
import type { Community } from '../../store/moderation/operator.ts';
import type { Store } from '../../store/store.ts';
import { PageError } from '../errors/page-error.ts';
import { guildIdOf, requireGuild } from '../find-guild.ts';
import { formatNumber, momentTag } from '../layout/format.ts';
import { type Html, html } from '../layout/html.ts';
import { csrfField, type PageContext } from '../layout/page.ts';
import { operatorMessages } from './messages.ts';
import {
  communityLink,
  cutPage,
  field,
  moderatorOf,
  type OperatorDeps,
  PAGE_SIZE,
  pager,
  readMoment,
  readReason,
  reasonField,
  redirectDone,
  sendOperatorPage,
} from './page.ts';

const LIST = '/operator/communities';

export function communityRoutes(app: FastifyInstance, deps: OperatorDeps): void {
  const { store, clock } = deps;

  app.get('/communities', async (request, reply) => {
    const search = (firstText(request.query, 'search') ?? '').trim();
    const after = await findAfter(store, firstText(request.query, 'after'));
    const found = await searchCommunities(store, search, after, clock());
    const { shown: communities, last } = cutPage(found);
    const query = search === '' ? '' : `search=${encodeURIComponent(search)}`;
    const next = last ? `${LIST}?${query}${query && '&'}after=${last.guild.guildId}` : null;
    const first = after && (query ? `${LIST}?${query}` : LIST);
    return sendOperatorPage(request, reply, deps, {
      tab: 'communities',
      view: ({ locale }) => html`${listView(locale, search, communities)}${pager(locale, { first, next })}`,
    });
  });

  app.get('/communities/:guild_id', async (request, reply) => {
    const guild = await requireGuild(store, guildIdOf(request));
    return sendOperatorPage(request, reply, deps, {
      tab: 'communities',
      view: (context) => communityView(context, guild, deps.rateLimit.requests),
    });
  });

  /** Applies a change to the community of the URL, and shows it again. */
  async function change(
    request: FastifyRequest,
    reply: FastifyReply,
    apply: (moderator: Moderator, guildId: string) => Promise<GuildOutcome>,
  ): Promise<FastifyReply> {
    const guildId = guildIdOf(request);
    const { kind } = await apply(moderatorOf(request, deps), guildId);
    if (kind === 'unknown_guild') throw new PageError('GUILD_NOT_FOUND');
    return redirectDone(reply, `${LIST}/${guildId}`, 'saved');
  }

  app.post('/communities/:guild_id/rename', async (request, reply) => {
    const name = readPlainText(firstText(request.body, 'name') ?? '', GUILD_NAME_MAX_LENGTH);
    if (name === undefined) throw new PageError('BAD_FORM');
    return change(request, reply, (moderator, guildId) => renameGuild(moderator, guildId, name));
  });

  app.post('/communities/:guild_id/listing', async (request, reply) => {
    const isListed = firstText(request.body, 'unlisted') !== 'on';
    return change(request, reply, (moderator, guildId) => setGuildListed(moderator, guildId, isListed));
  });

  app.post('/communities/:guild_id/sanction', async (request, reply) => {
    const reason = readReason(request.body);
    if (firstText(request.body, 'lift') === 'on') return change(request, reply, liftSanction);
    return change(request, reply, (moderator, guildId) => sanctionGuild(moderator, guildId, reason));
  });

  app.post('/communities/:guild_id/rate-limit', async (request, reply) => {
    const limit = readRateLimit(request.body);
    if (limit === undefined) throw new PageError('BAD_FORM');
    return change(request, reply, (moderator, guildId) => setGuildRateLimit(moderator, guildId, limit));
  });

  app.post('/communities/:guild_id/premium', async (request, reply) => {
    const until = readMoment(request.body, 'until');
    if (until === undefined) throw new PageError('BAD_FORM');
    return change(request, reply, (moderator, guildId) => setGuildPremium(moderator, guildId, until));
  });
}

/** Null if the field is empty; `undefined` if it is not a limit. */
function readRateLimit(body: unknown): number | null | undefined {
  const given = (firstText(body, 'limit') ?? '').trim();
  if (given === '') return null;
  const limit = Number(given);
  return /^[0-9]{1,6}$/.test(given) && limit >= 1 && limit <= MAX_GUILD_RATE_LIMIT ? limit : undefined;
}

async function findAfter(store: Store, guildId: string | undefined): Promise<Guild | null> {
  return guildId !== undefined && isSnowflake(guildId) ? ((await store.guilds.find(guildId)) ?? null) : null;
}

/** The id of a community finds it; any other text is searched for in names. */
async function searchCommunities(
  store: Store,
  search: string,
  after: Guild | null,
  month: Instant,
): Promise<Community[]> {
  const guild = isSnowflake(search) ? await store.guilds.find(search) : undefined;
  if (!guild) return store.operator.communities({ search, after, month, limit: PAGE_SIZE + 1 });
  return [{ guild, votesThisMonth: await store.votes.countInMonth(guild.guildId, month) }];
}

function listView(locale: Locale, search: string, communities: readonly Community[]): Html {
  const messages = operatorMessages[locale];
  const text = messages.communities;
  const input = html`<input type="search" id="search" name="search" value="${search}" aria-describedby="search-hint">`;
  return html`<section class="card" aria-labelledby="communities"><h2 id="communities">${messages.tabs.communities}</h2>
<form class="inline-form" method="get" action="${LIST}">${field('search', text.search, input, text.searchHint)}<button class="secondary">${text.find}</button></form>
${communities.length === 0 ? html`<p class="empty">${text.empty}</p>` : communityTable(locale, communities)}</section>`;
}

function communityTable(locale: Locale, communities: readonly Community[]): Html {
  const messages = operatorMessages[locale];
  const text = messages.communities;
  return html`<div class="table-frame" tabindex="0" role="group" aria-labelledby="communities"><table class="stacked">
<thead><tr><th scope="col">${messages.community}</th><th scope="col" class="number">${text.votes}</th><th scope="col">${text.premium}</th><th scope="col">${text.state}</th></tr></thead>
<tbody>${communities.map(
    ({ guild, votesThisMonth }) =>
      html`<tr><td>${communityLink(guild.guildId, guild.name)} <span class="muted mono small-text">${guild.guildId}</span></td><td class="number">${formatNumber(votesThisMonth, locale)}</td><td${guild.premiumUntil === null && html` class="no muted"`}>${guild.premiumUntil === null ? '–' : momentTag(guild.premiumUntil, locale)}</td><td>${badges(locale, guild)}</td></tr>`,
  )}</tbody></table></div>`;
}

function badges(locale: Locale, guild: Guild): Html {
  const text = operatorMessages[locale].communities;
  return html`${guild.sanction && html`<span class="badge bad">${text.sanctioned}</span> `}${guild.unlistedAt !== null && html`<span class="badge">${text.unlisted}</span> `}${guild.hiddenAt !== null && html`<span class="badge">${text.hidden}</span>`}`;
}

function communityView(context: PageContext, guild: Guild, usualLimit: number): Html {
  const { locale, csrfToken } = context;
  const text = operatorMessages[locale].communities;
  const form = (action: string, body: Html) =>
    html`<form class="stack" method="post" action="${LIST}/${guild.guildId}/${action}">${csrfField(csrfToken)}${body}</form>`;
  const name = html`<input type="text" id="name" name="name" value="${guild.name}" maxlength="${GUILD_NAME_MAX_LENGTH}" required>`;
  const until = html`<input type="datetime-local" id="until" name="until" value="${guild.premiumUntil === null ? '' : formatInstant(guild.premiumUntil).slice(0, 16)}" aria-describedby="until-hint">`;
  const limit = html`<input type="number" id="limit" name="limit" min="1" max="${MAX_GUILD_RATE_LIMIT}" value="${guild.rateLimit ?? ''}" aria-describedby="limit-hint">`;
  const save = html`<div><button class="secondary">${text.save}</button></div>`;
  return html`<div class="row between"><h2><bdi>${guild.name}</bdi> <span class="muted mono small-text">${guild.guildId}</span></h2><div class="row">${badges(locale, guild)}${isActive(guild) && html`<a class="button small secondary" href="${votePath(guild.guildId)}">${text.votePage}</a>`}</div></div>
<section class="card" aria-labelledby="rename"><h3 id="rename">${text.rename}</h3>${form('rename', html`${field('name', text.newName, name)}${save}`)}</section>
<section class="card" aria-labelledby="premium"><h3 id="premium">${text.premiumTitle}</h3>${form('premium', html`${field('until', text.premiumUntil, until, text.premiumHint)}${save}`)}</section>
<section class="card" aria-labelledby="rate-limit"><h3 id="rate-limit">${text.rateLimit}</h3>${form('rate-limit', html`${field('limit', operatorMessages[locale].rateLimit, limit, text.rateLimitHint(formatNumber(usualLimit, locale)))}${save}`)}</section>
<section class="card" aria-labelledby="listing"><h3 id="listing">${text.listing}</h3><p class="muted measure">${text.listingHint}</p>${form('listing', listingForm(locale, guild))}</section>
<section class="card" aria-labelledby="sanction"><h3 id="sanction">${text.sanction}</h3><p class="muted measure">${text.sanctionHint}</p>${form('sanction', sanctionForm(locale, guild))}</section>`;
}

function listingForm(locale: Locale, { unlistedAt }: Guild): Html {
  const text = operatorMessages[locale].communities;
  if (unlistedAt !== null) return html`<div><button class="secondary">${text.relist}</button></div>`;
  return html`<input type="hidden" name="unlisted" value="on"><div><button class="secondary">${text.unlist}</button></div>`;
}

function sanctionForm(locale: Locale, { sanction }: Guild): Html {
  const { communities: text, reason, colon } = operatorMessages[locale];
  if (!sanction)
    return html`${reasonField(locale, 'sanction')}<div><button class="danger">${text.addSanction}</button></div>`;
  return html`<p>${text.sanctionSince} ${momentTag(sanction.since, locale)}${sanction.reason !== null && html`<br>${reason}${colon} <bdi>${sanction.reason}</bdi>`}</p>
<input type="hidden" name="lift" value="on"><div><button class="secondary">${text.lift}</button></div>`;
}
