import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Locale } from '../../domain/locale.ts';
import { firstText } from '../../domain/record.ts';
import type { Ban } from '../../domain/votes/bans.ts';
import { banVoter, unbanVoter } from '../../moderation/bans.ts';
import { PAGE_STATUS, PageError } from '../errors/page-error.ts';
import { redirectWithFlash } from '../flash.ts';
import { momentTag } from '../layout/format.ts';
import { type Content, type Html, html } from '../layout/html.ts';
import { csrfField, type PageContext } from '../layout/page.ts';
import { type People, personTag } from '../layout/people.ts';
import { operatorMessages } from './messages.ts';
import {
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

type BanFault = 'wrongUser' | 'wrongDate';

/** The submitted values after an invalid date, to fill in the form again. */
type RefusedBan = { until: string; reason: string; publicReason: string };

declare module '../flash.ts' {
  interface Flash {
    ban?: RefusedBan;
  }
}

export function banRoutes(app: FastifyInstance, deps: OperatorDeps): void {
  const { store, clock } = deps;

  async function sendBans(
    request: FastifyRequest,
    reply: FastifyReply,
    fault?: BanFault,
  ): Promise<FastifyReply> {
    const after = readUserId(request.query, 'after') ?? null;
    const found = await store.moderation.bans(clock(), after ?? '', PAGE_SIZE + 1);
    const { shown: bans, last } = cutPage(found);
    const people = await store.users.find(bans.map(({ userId }) => userId));
    const next = last ? `/operator/bans?after=${last.userId}` : null;
    return sendOperatorPage(request, reply, deps, {
      tab: 'bans',
      view: (context) =>
        html`${askForm(context, fault)}${banList(context, bans, people)}${pager(context.locale, { first: after && '/operator/bans', next })}`,
    });
  }

  async function sendConfirmation(
    request: FastifyRequest,
    reply: FastifyReply,
    userId: string,
    refused: RefusedBan | undefined,
  ): Promise<FastifyReply> {
    const people = await store.users.find([userId]);
    return sendOperatorPage(request, reply, deps, {
      tab: 'bans',
      view: (context) => confirmForm(context, userId, people, refused),
    });
  }

  app.get('/bans', (request, reply) => sendBans(request, reply));

  app.get('/ban', async (request, reply) => {
    const userId = readUserId(request.query, 'user_id');
    if (userId === undefined) return sendBans(request, reply.code(PAGE_STATUS.BAD_FORM), 'wrongUser');
    return sendConfirmation(request, reply, userId, request.flash?.ban);
  });

  app.post('/bans', async (request, reply) => {
    const userId = readUserId(request.body, 'user_id');
    if (userId === undefined) throw new PageError('BAD_FORM');
    const [reason, publicReason] = [readReason(request.body), readReason(request.body, 'public_reason')];
    const until = readMoment(request.body, 'until');
    const outcome =
      until === undefined
        ? undefined
        : await banVoter(moderatorOf(request, deps), { userId, until, reason, publicReason });
    if (outcome?.kind !== 'banned') {
      const ban = {
        until: firstText(request.body, 'until') ?? '',
        reason: reason ?? '',
        publicReason: publicReason ?? '',
      };
      return (
        redirectWithFlash(request, reply, `/operator/ban?user_id=${userId}`, { ban }) ??
        sendConfirmation(request, reply.code(PAGE_STATUS.BAD_FORM), userId, ban)
      );
    }
    return redirectDone(reply, '/operator/bans', 'banned');
  });

  app.post('/bans/:user_id/lift', async (request, reply) => {
    const userId = firstText(request.params, 'user_id') ?? '';
    await unbanVoter(moderatorOf(request, deps), userId);
    return redirectDone(reply, '/operator/bans', 'unbanned');
  });
}

function askForm({ locale }: PageContext, fault: BanFault | undefined): Html {
  const text = operatorMessages[locale].bans;
  const invalid = fault && html` aria-invalid="true" aria-describedby="ban-error"`;
  const input = html`<input type="text" id="user_id" name="user_id" inputmode="numeric" autocomplete="off" required${invalid}>`;
  return html`<section class="card" aria-labelledby="ban"><h2 id="ban">${text.ban}</h2>
${fault && html`<p class="notice bad" id="ban-error" role="alert" tabindex="-1" autofocus>${text[fault]}</p>`}
<form class="inline-form" method="get" action="/operator/ban">${field('user_id', text.userId, input)}<button class="secondary">${text.continue}</button></form></section>`;
}

function confirmForm(
  { locale, csrfToken }: PageContext,
  userId: string,
  people: People,
  refused: RefusedBan | undefined,
): Html {
  const messages = operatorMessages[locale];
  const text = messages.bans;
  const invalid = refused && html` aria-invalid="true"`;
  const until = html`<input type="date" id="until" name="until" value="${refused?.until}" aria-describedby="until-hint"${invalid}>`;
  return html`<form class="card" method="post" action="/operator/bans">${csrfField(csrfToken)}<input type="hidden" name="user_id" value="${userId}">
<div class="stack"><h2>${text.confirmTitle}</h2><p>${personTag(locale, people, userId)}</p><p class="muted measure">${text.confirmHint}</p></div>
${refused && html`<p class="notice bad" role="alert" tabindex="-1" autofocus>${text.wrongDate}</p>`}
${field('until', messages.until, until, text.untilHint)}${reasonField(locale, 'publicBan', refused?.publicReason)}${reasonField(locale, 'ban', refused?.reason)}
<div class="row"><button class="danger">${text.confirm}</button><a class="button secondary" href="/operator/bans">${messages.cancel}</a></div></form>`;
}

function banList(context: PageContext, bans: readonly Ban[], people: People): Html {
  const messages = operatorMessages[context.locale];
  const text = messages.bans;
  if (bans.length === 0) return html`<div class="card"><p class="empty">${text.empty}</p></div>`;
  return html`<section class="card" aria-labelledby="bans"><h2 id="bans">${messages.tabs.bans}</h2>
<div class="table-frame" tabindex="0" role="group" aria-labelledby="bans"><table class="stacked">
<thead><tr><th scope="col">${messages.user}</th><th scope="col">${text.since}</th><th scope="col">${messages.until}</th><th scope="col">${messages.reason}</th><th scope="col"><span class="visually-hidden">${text.lift}</span></th></tr></thead>
<tbody>${bans.map((ban) => banRow(context, ban, people))}</tbody></table></div></section>`;
}

function banRow(
  { locale, csrfToken }: PageContext,
  { userId, since, until, reason, publicReason }: Ban,
  people: People,
): Html {
  const text = operatorMessages[locale].bans;
  return html`<tr><td>${personTag(locale, people, userId)}</td><td>${momentTag(since, locale)}</td><td>${until === null ? text.noEnd : momentTag(until, locale)}</td><td${reason === null && publicReason === null && html` class="no muted"`}>${reasonsOf(locale, reason, publicReason)}</td>
<td><form method="post" action="/operator/bans/${userId}/lift">${csrfField(csrfToken)}<button class="small secondary" aria-label="${text.lift} ${userId}">${text.lift}</button></form></td></tr>`;
}

function reasonsOf(locale: Locale, reason: string | null, publicReason: string | null): Content {
  if (reason === null && publicReason === null) return '–';
  const { reasons, colon } = operatorMessages[locale];
  const line = (label: string, text: string | null) =>
    text !== null && html`<div><span class="muted">${label}${colon}</span> <bdi>${text}</bdi></div>`;
  return html`${line(reasons.labels.publicReason, publicReason)}${line(reasons.labels.note, reason)}`;
}
