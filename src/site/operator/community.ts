import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { formatInstant } from '../../domain/clock.ts';
import { type Guild, isActive } from '../../domain/guild.ts';
import type { Locale } from '../../domain/locale.ts';
import { firstText } from '../../domain/record.ts';
import { readPlainText } from '../../domain/text/text.ts';
import { votePath } from '../../domain/votes/vote-link.ts';
import {
  GUILD_NAME_MAX_LENGTH,
  type GuildOutcome,
  liftSanction,
  MAX_GUILD_RATE_LIMIT,
  parseGuildRateLimit,
  renameGuild,
  sanctionGuild,
  setGuildListed,
  setGuildPremium,
  setGuildRateLimit,
} from '../../moderation/guilds.ts';
import type { Moderator } from '../../moderation/moderator.ts';
import { PageError } from '../errors/page-error.ts';
import { guildIdOf, requireGuild } from '../find-guild.ts';
import { formatNumber, momentTag } from '../layout/format.ts';
import { type Html, html } from '../layout/html.ts';
import { csrfField, type PageContext } from '../layout/page.ts';
import { badges, COMMUNITIES_PATH } from './community-list.ts';
import { operatorMessages } from './messages.ts';
import {
  field,
  moderatorOf,
  type OperatorDeps,
  readMoment,
  readReason,
  reasonField,
  redirectDone,
  sendOperatorPage,
} from './page.ts';

/** The page of a community, and its forms. */
export function communityRoutes(app: FastifyInstance, deps: OperatorDeps): void {
  const { store } = deps;

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
    return redirectDone(reply, `${COMMUNITIES_PATH}/${guildId}`, 'saved');
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
  return given === '' ? null : parseGuildRateLimit(given);
}

function communityView(context: PageContext, guild: Guild, usualLimit: number): Html {
  const { locale, csrfToken } = context;
  const text = operatorMessages[locale].communities;
  const form = (action: string, body: Html) =>
    html`<form class="stack" method="post" action="${COMMUNITIES_PATH}/${guild.guildId}/${action}">${csrfField(csrfToken)}${body}</form>`;
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
