import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DAY_MS, type Instant } from '../../domain/clock.ts';
import type { Guild } from '../../domain/guild.ts';
import type { Locale } from '../../domain/locale.ts';
import { firstText } from '../../domain/record.ts';
import { ALL_TIME, type Period } from '../../domain/votes/period.ts';
import type { Vote } from '../../domain/votes/vote.ts';
import { type ChosenVotes, chooseVotes, offerVotes, VOID_CHOICES } from '../../moderation/selection.ts';
import { restoreVotes, voidVotes } from '../../moderation/voids.ts';
import type { BatchPosition } from '../../store/moderation/operator.ts';
import type { RecordedBatch } from '../../store/moderation/voiding.ts';
import type { Store } from '../../store/store.ts';
import { PAGE_STATUS, PageError } from '../errors/page-error.ts';
import { requireGuild } from '../find-guild.ts';
import { redirectWithFlash } from '../flash.ts';
import { formatNumber, momentTag } from '../layout/format.ts';
import { type Html, html } from '../layout/html.ts';
import { csrfField, type PageContext } from '../layout/page.ts';
import { type People, personTag } from '../layout/people.ts';
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
  readUserId,
  reasonField,
  redirectDone,
  sendOperatorPage,
} from './page.ts';

/** The submitted values after an invalid period, to fill in the form again. */
type RefusedVoid = { which: string; from: string; to: string; reason: string };

declare module '../flash.ts' {
  interface Flash {
    voiding?: RefusedVoid;
  }
}

const BATCH = /^void_[0-9a-f]{1,64}$/;
const POSITION = /^(\d{1,15})_(void_[0-9a-f]{1,64})$/;

export function voidRoutes(app: FastifyInstance, deps: OperatorDeps): void {
  const { store } = deps;

  async function sendConfirmation(
    request: FastifyRequest,
    reply: FastifyReply,
    { guild, vote }: Voidable,
    refused: RefusedVoid | undefined,
  ): Promise<FastifyReply> {
    const days = refused ?? readDays(request.query);
    const period = readPeriod(days);
    const [offers, people] = await Promise.all([
      offerVotes(store, vote, period ?? ALL_TIME),
      store.users.find([vote.userId]),
    ]);
    const isPeriodWrong = period === undefined;
    return sendOperatorPage(request, reply, deps, {
      tab: 'voided',
      view: (context) => confirmation(context, { guild, vote, people, offers, days, isPeriodWrong, refused }),
    });
  }

  app.get('/void', async (request, reply) =>
    sendConfirmation(request, reply, await findVote(store, request.query), request.flash?.voiding),
  );

  app.post('/void', async (request, reply) => {
    const { body } = request;
    const { guild, vote } = await findVote(store, body);
    const choice = VOID_CHOICES.find((known) => known === firstText(body, 'which'));
    const days = readDays(body);
    const period = choice === 'vote' ? ALL_TIME : readPeriod(days);
    const offer = choice && (await chooseVotes(store, vote, choice, period ?? ALL_TIME));
    if (!offer) throw new PageError('BAD_FORM');
    const reason = readReason(body);
    if (!period) {
      const voiding = { which: offer.choice, ...days, reason: reason ?? '' };
      const address = `/operator/void?guild_id=${guild.guildId}&user_id=${vote.userId}&at=${vote.castAt}`;
      return (
        redirectWithFlash(request, reply, address, { voiding }) ??
        sendConfirmation(request, reply.code(PAGE_STATUS.BAD_FORM), { guild, vote }, voiding)
      );
    }
    const outcome = await voidVotes(moderatorOf(request, deps), {
      guildId: guild.guildId,
      selection: offer.selection,
      period: offer.period,
      reason,
      logged: { guild: guild.name, userId: vote.userId, selection: offer.choice },
    });
    const result = outcome.kind === 'nothing' ? 'nothing-voided' : 'voided';
    return redirectDone(reply, '/operator/voided', result);
  });

  app.get('/voided', async (request, reply) => {
    const before = readPosition(firstText(request.query, 'before'));
    const found = await store.operator.batches(before, PAGE_SIZE + 1);
    const { shown: batches, last } = cutPage(found);
    const names = await store.operator.communityNames(batches.map(({ guildId }) => guildId));
    const next = last ? `/operator/voided?before=${last.voidedAt}_${last.batch}` : null;
    return sendOperatorPage(request, reply, deps, {
      tab: 'voided',
      view: (context) =>
        html`${batchList(context, batches, names)}${pager(context.locale, { first: before && '/operator/voided', next })}`,
    });
  });

  app.post('/voided/:batch/restore', async (request, reply) => {
    const batch = firstText(request.params, 'batch') ?? '';
    const isBatch = BATCH.test(batch);
    const outcome = isBatch ? await restoreVotes(moderatorOf(request, deps), batch) : undefined;
    if (!outcome || outcome.kind === 'unknown') throw new PageError('NOT_FOUND');
    return redirectDone(reply, '/operator/voided', 'restored');
  });
}

function readPosition(text: string | undefined): BatchPosition | null {
  const [, voidedAt, batch] = POSITION.exec(text ?? '') ?? [];
  return batch === undefined ? null : { voidedAt: Number(voidedAt), batch };
}

type Voidable = { guild: Guild; vote: Vote };

/** The vote that the operator started from, named by its community, time and user. */
async function findVote(store: Store, source: unknown): Promise<Voidable> {
  const guild = await requireGuild(store, firstText(source, 'guild_id') ?? '');
  const [userId, at] = [readUserId(source, 'user_id'), Number(firstText(source, 'at'))];
  if (userId === undefined || !Number.isSafeInteger(at)) throw new PageError('NOT_FOUND');
  const filter = { guildId: guild.guildId, userId, period: { from: at, to: at + 1 } };
  const [vote] = await store.votes.page(filter, null, 1);
  if (!vote) throw new PageError('NOT_FOUND');
  return { guild, vote };
}

/** As entered. */
type Days = { from: string; to: string };

function readDays(source: unknown): Days {
  return { from: firstText(source, 'from') ?? '', to: firstText(source, 'to') ?? '' };
}

/** Both days are inclusive; without them, all votes are selected. `undefined` if the period is invalid. */
function readPeriod(days: Days): Period | undefined {
  const [from, to] = [readMoment(days, 'from'), readMoment(days, 'to')];
  if (from === undefined || to === undefined) return undefined;
  const period = { from: from ?? ALL_TIME.from, to: to === null ? ALL_TIME.to : endOfDay(to) };
  return period.from < period.to ? period : undefined;
}

function endOfDay(instant: Instant): Instant {
  return (Math.floor(instant / DAY_MS) + 1) * DAY_MS;
}

type Confirmation = Voidable & {
  people: People;
  offers: readonly (ChosenVotes & { votes: number })[];
  days: Days;
  isPeriodWrong: boolean;
  refused: RefusedVoid | undefined;
};

/** The period is asked first, because the numbers of votes depend on it. Nothing is selected before the operator chooses. */
function confirmation(context: PageContext, asked: Confirmation): Html {
  const { locale } = context;
  const { guild, vote, people, isPeriodWrong } = asked;
  const text = operatorMessages[locale].voiding;
  return html`<section class="card" aria-labelledby="void"><div class="stack"><h2 id="void">${text.title}</h2><p class="muted measure">${text.hint}</p>
<p>${communityLink(guild.guildId, guild.name)} · ${personTag(locale, people, vote.userId)}${vote.externalId !== null && html` · <bdi>${vote.externalId}</bdi>`} · ${momentTag(vote.castAt, locale)}</p></div>
${isPeriodWrong && html`<p class="notice bad" id="period-error" role="alert" tabindex="-1" autofocus>${text.wrongPeriod}</p>`}
${periodForm(locale, asked)}${voidForm(context, asked)}</section>`;
}

function voteFields(vote: Vote): Html {
  return html`<input type="hidden" name="guild_id" value="${vote.guildId}"><input type="hidden" name="at" value="${vote.castAt}"><input type="hidden" name="user_id" value="${vote.userId}">`;
}

function periodForm(locale: Locale, { vote, days, isPeriodWrong }: Confirmation): Html {
  const text = operatorMessages[locale].voiding;
  const invalid = isPeriodWrong && html` aria-invalid="true" aria-describedby="period-error"`;
  const day = (name: 'from' | 'to') =>
    field(
      name,
      text[name],
      html`<input type="date" id="${name}" name="${name}" value="${days[name]}"${invalid}>`,
    );
  return html`<form class="inline-form" method="get" action="/operator/void">${voteFields(vote)}${day('from')}${day('to')}<button class="secondary">${text.countVotes}</button></form>`;
}

function voidForm({ locale, csrfToken }: PageContext, { vote, offers, days, refused }: Confirmation): Html {
  const messages = operatorMessages[locale];
  const text = messages.voiding;
  return html`<form class="stack" method="post" action="/operator/void">${csrfField(csrfToken)}${voteFields(vote)}<input type="hidden" name="from" value="${days.from}"><input type="hidden" name="to" value="${days.to}">
<fieldset class="choices"><legend>${text.which}</legend>${offers.map(
    ({ choice, votes }) =>
      html`<label class="choice"><input type="radio" name="which" value="${choice}" required${choice === refused?.which && html` checked`}><span><span class="choice-name">${text.choices[choice]}</span><span class="muted small-text">${text.count(votes, formatNumber(votes, locale))}</span></span></label>`,
  )}</fieldset>${reasonField(locale, 'void', refused?.reason)}
<div class="row"><button class="danger">${text.confirm}</button><a class="button secondary" href="/operator/unusual">${messages.cancel}</a></div></form>`;
}

function batchList(
  context: PageContext,
  batches: readonly RecordedBatch[],
  names: ReadonlyMap<string, string>,
): Html {
  const messages = operatorMessages[context.locale];
  const text = messages.voiding;
  if (batches.length === 0) return html`<div class="card"><p class="empty">${text.empty}</p></div>`;
  return html`<section class="card" aria-labelledby="batches"><h2 id="batches">${messages.tabs.voided}</h2>
<div class="table-frame" tabindex="0" role="group" aria-labelledby="batches"><table class="stacked">
<thead><tr><th scope="col">${messages.time}</th><th scope="col">${messages.community}</th><th scope="col" class="number">${text.votes}</th><th scope="col">${messages.reason}</th><th scope="col">${text.batch}</th><th scope="col"><span class="visually-hidden">${text.restore}</span></th></tr></thead>
<tbody>${batches.map((batch) => batchRow(context, batch, names))}</tbody></table></div></section>`;
}

function batchRow(
  { locale, csrfToken }: PageContext,
  { batch, guildId, voidedAt, votes, reason, restoredAt }: RecordedBatch,
  names: ReadonlyMap<string, string>,
): Html {
  const text = operatorMessages[locale].voiding;
  const restore = html`<form method="post" action="/operator/voided/${batch}/restore">${csrfField(csrfToken)}<button class="small secondary" aria-label="${text.restore} ${batch}">${text.restore}</button></form>`;
  return html`<tr><td class="nowrap">${momentTag(voidedAt, locale)}</td><td>${communityLink(guildId, names.get(guildId))}</td><td class="number">${formatNumber(votes, locale)}</td><td${reason === null && html` class="no muted"`}>${reason === null ? '–' : html`<bdi>${reason}</bdi>`}</td><td class="mono">${batch}</td><td>${restoredAt === null ? restore : html`<span class="badge">${text.restoredAt}</span> ${momentTag(restoredAt, locale)}`}</td></tr>`;
}
