import { formatInstant, type Instant, MINUTE_MS } from '../../domain/clock.ts';
import type { Guild } from '../../domain/guild.ts';
import type { Locale } from '../../domain/locale.ts';
import { COOLDOWN_MS, type CooldownState } from '../../domain/votes/vote.ts';
import { type VoteLink, votePath } from '../../domain/votes/vote-link.ts';
import type { GuildRules } from '../../store/moderation/integrity.ts';
import type { Wait } from '../../voting/cooldown.ts';
import { TURNSTILE_ACTION, turnstileVoter } from '../../voting/turnstile.ts';
import { nameForm } from '../account-name.ts';
import { asset } from '../layout/assets.ts';
import { avatar, guildIcon } from '../layout/format.ts';
import { type Content, type Html, html } from '../layout/html.ts';
import { csrfField, type PageContext, renderPage } from '../layout/page.ts';
import { cardPath, profilePath } from '../paths.ts';
import type { Person } from '../session.ts';
import { guildsSignInAddress } from '../sign-in/sign-in.ts';
import { type AfterVote, notifyButton, shareLink, voteFigures } from './after.ts';
import { afterMessages } from './after-messages.ts';
import { type ClosedGate, isClosed, type PageGate, signInToVote } from './gate.ts';
import { voteMessages } from './messages.ts';

export type VotePage = {
  guild: Guild;
  rules: GuildRules;
  /** Whether the signed-in user may vote now. */
  gate: PageGate;
  votesThisMonth: number;
  isDoubledNow: boolean;
  link: VoteLink;
  /** The cooldown of the last vote, if it counts. */
  cooldown: CooldownState;
  /** When the next vote is possible. Differs from `cooldown` only if the last vote was voided. */
  wait: Wait;
  /** What a signed-in user sees after voting; null for others. */
  after: AfterVote | null;
  /** Whether the signed-in user appears by name. */
  isNameShown: boolean;
  /** Whether a vote at the end of the cooldown will be doubled. */
  isDoubledNext: boolean;
  /** The URL to share. */
  shareAddress: string;
  /** The name of the current vote; null if it had none, or if there is no vote. */
  votedAs: string | null;
};

export function renderVotePage(context: PageContext, page: VotePage): string {
  const text = voteMessages[context.locale];
  const { guild } = page;
  const main = html`<section class="card vote">
<div class="vote-head">
${guildIcon(guild, 'large')}
<h1><a href="${profilePath(guild.guildId)}"><bdi>${guild.name}</bdi></a></h1>
<p class="muted">${text.votesThisMonth(page.votesThisMonth)}</p>
</div>
${identity(context, page)}
${context.person === null ? signedOut(context, page) : signedIn(context, context.person, page)}
</section>`;
  return renderPage(context, {
    title: text.title(guild.name),
    description: text.description(guild.name),
    image: { path: cardPath(guild.guildId, context.locale), alt: guild.name },
    main,
    styles: ['vote/vote.css'],
    scripts: isCountingDown(page) ? ['vote/countdown.js'] : [],
    // A click before it runs would send the vote without a solution, and the voter would have to click again.
    blockingScripts: needsChallenge(page) ? ['vote/challenge.js'] : [],
  });
}

/** The name in the link before the vote; afterwards, the name it was counted for. */
function identity({ locale }: PageContext, { link, cooldown, votedAs }: VotePage): Content {
  const text = voteMessages[locale];
  if (!cooldown.hasVoted) return identityLine(link.externalId, text.votingAs);
  return votedAs !== null && html`<div data-until-again>${identityLine(votedAs, text.votedAs)}</div>`;
}

function identityLine(externalId: string | null, words: (externalId: Html) => Html): Content {
  if (externalId === null) return null;
  return html`<p class="vote-identity"><span class="clamp" title="${externalId}">${words(name(externalId))}</span></p>`;
}

function signedOut(context: PageContext, page: VotePage): Html {
  const text = voteMessages[context.locale];
  const path = votePath(page.guild.guildId, page.link);
  return html`${page.isDoubledNow && doubledBadge(context.locale)}
<a class="button large" href="${signInToVote(path, page.rules)}">${text.signInToVote}</a>
<p class="muted small-text">${page.rules.membersOnly ? text.signInMembers : text.signInWhy}</p>`;
}

function signedIn(context: PageContext, person: Person, page: VotePage): Html {
  const text = voteMessages[context.locale];
  const whoVotes = html`<p class="vote-person muted small-text">${avatar({ id: person.userId, name: person.name }, 'small')}<span>${text.signedInAs(name(person.name))}</span></p>`;
  const form = voteForm(context, page);
  if (page.cooldown.hasVoted) {
    return html`${voted(context, page, form)}${whoVotes}`;
  }
  const { gate } = page;
  if (isClosed(gate) && isCountingDown(page)) {
    return html`<div data-until-again>${closedNotice(context.locale, page, gate)}</div>${backLink(context.locale, page.link)}
${countdown(context, page, form)}${whoVotes}${page.isNameShown && nameForm(context, true)}`;
  }
  if (isClosed(gate)) {
    return html`${closedNotice(context.locale, page, gate)}${backLink(context.locale, page.link)}${whoVotes}${page.isNameShown && nameForm(context, true)}`;
  }
  return html`${page.isDoubledNow && doubledBadge(context.locale)}
${gate.kind === 'challenge' && challengeNotice(context.locale, gate)}${form}
<p class="muted small-text">${text.rule}</p>${whoVotes}${page.isNameShown && nameForm(context, true)}`;
}

/** The status text is for browsers without scripts; the script replaces it. */
function voteForm(context: PageContext, { guild, link, gate }: VotePage): Html {
  const text = voteMessages[context.locale];
  const button = html`${csrfField(context.csrfToken)}<button class="large">${text.vote}</button>`;
  const action = votePath(guild.guildId, link);
  if (gate.kind !== 'challenge') {
    return html`<form class="vote-form" method="post" action="${action}">
${button}
</form>`;
  }
  return html`<form class="vote-form" method="post" action="${action}" data-challenge="${JSON.stringify(gate.challenge)}" data-worker="${asset('vote/challenge-worker.js')}"${gate.siteKey !== null && turnstileData(gate.siteKey, guild, context.person)}>
<input type="hidden" name="altcha" value="" disabled>
${gate.siteKey !== null && html`<div data-turnstile-box></div>`}
${button}
<p class="muted small-text" role="status" data-challenge-status data-busy="${text.challenge.busy}" data-waiting="${text.challenge.waiting}" data-ready="${text.challenge.ready}" data-failed="${text.challenge.failed}">${text.challenge.noScript(timeOf(context.locale, gate.noChallengeAt))}</p>
</form>`;
}

function turnstileData(siteKey: string, { guildId }: Guild, person: Person | null): Html {
  const data = person === null ? '' : turnstileVoter({ guildId, userId: person.userId });
  return html` data-turnstile="${siteKey}" data-turnstile-action="${TURNSTILE_ACTION}" data-turnstile-data="${data}"`;
}

/** Explains why the vote was not counted. */
function challengeNotice(locale: Locale, gate: Extract<PageGate, { kind: 'challenge' }>): Html | null {
  const text = voteMessages[locale].challenge;
  if (gate.problem === null) return null;
  return html`<p class="notice warn" role="alert">${text.problems[gate.problem]}</p>`;
}

function closedNotice(locale: Locale, page: VotePage, gate: ClosedGate): Html {
  const when = dayAndTime(locale, 'canVoteAt' in gate ? gate.canVoteAt : 0);
  const { title, text } = voteMessages[locale].closed[gate.kind](when);
  const path = votePath(page.guild.guildId, page.link);
  const button = html`<a class="button large" href="${guildsSignInAddress(path)}">${voteMessages[locale].checkMembership}</a>`;
  return html`<div class="notice warn vote-closed" role="status"><p><strong>${title}</strong></p><p>${text}</p></div>
${gate.kind === 'membership_unknown' && button}`;
}

function isCountingDown({ gate, cooldown }: VotePage): boolean {
  return cooldown.hasVoted || gate.kind === 'cooldown';
}

function needsChallenge({ gate, cooldown }: VotePage): boolean {
  return gate.kind === 'challenge' && !cooldown.hasVoted;
}

function voted(context: PageContext, page: VotePage, form: Html): Html {
  const { locale } = context;
  const text = voteMessages[locale];
  const { cooldown, guild, after } = page;
  return html`<div class="stack" data-until-again><p class="notice good" role="status">${TICK}<span>${cooldown.isDoubled ? text.countedDoubled : text.counted}</span></p>
${otherIdentity(locale, page)}</div>
${backLink(locale, page.link)}
${after && voteFigures(context, after)}
${countdown(context, page, form)}
${nameForm(context, page.isNameShown)}
${shareLink(context, guild, page.shareAddress)}`;
}

/** The form is hidden until the script shows it at the end of the countdown. */
function countdown(context: PageContext, page: VotePage, form: Html): Html {
  const { locale } = context;
  const text = voteMessages[locale];
  const { wait, guild } = page;
  const titles = afterMessages[locale];
  return html`<div class="stack countdown" data-countdown="${wait.remainingSeconds}" data-running-title="${titles.countdownTitle(guild.name)}" data-ready-title="${titles.readyTitle(guild.name)}">
<p class="countdown-label muted" id="countdown-label">${text.nextVote}</p>
<p class="countdown-time" role="timer" aria-labelledby="countdown-label" data-time>${minutes(locale, wait.remainingSeconds * 1000)}</p>
<progress max="${COOLDOWN_MS / 1000}" value="${COOLDOWN_MS / 1000 - wait.remainingSeconds}" aria-label="${text.elapsed}" data-progress></progress>
<p class="muted">${text.nextVoteAt(timeOf(locale, wait.nextVoteAt ?? 0))} <noscript>${text.reload}</noscript></p>
${notifyButton(context, guild)}
</div>
<div class="stack" data-again hidden><p class="notice" role="status" data-again-text="${text.canVoteAgain}"></p>${identityLine(page.link.externalId, text.votingAs)}${page.isDoubledNext && doubledBadge(locale)}${form}</div>`;
}

/** A vote belongs to the user; a second link with another name must not look counted too. */
function otherIdentity(locale: Locale, { link, votedAs }: VotePage): Content {
  const text = voteMessages[locale];
  if (link.externalId === null || link.externalId === votedAs) return null;
  return html`<p class="notice warn">${votedAs === null ? text.countedWithout : text.countedUnder(name(votedAs))}</p>`;
}

function doubledBadge(locale: Locale): Html {
  return html`<p class="badge accent">${voteMessages[locale].doubled}</p>`;
}

function backLink(locale: Locale, { returnTo }: VoteLink): Content {
  if (returnTo === null) return null;
  return html`<a class="button large" href="${returnTo.href}" rel="noopener" data-back>${voteMessages[locale].backTo(returnTo.host)}</a>`;
}

/** Isolates the text direction of a name from the text around it. */
function name(text: string): Html {
  return html`<strong><bdi>${text}</bdi></strong>`;
}

function minutes(locale: Locale, milliseconds: number): string {
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit: 'minute', unitDisplay: 'long' });
  return format.format(Math.ceil(milliseconds / MINUTE_MS));
}

/** In UTC; the script converts it to local time. */
function timeOf(locale: Locale, instant: Instant): Html {
  const format = new Intl.DateTimeFormat(locale, {
    hour: 'numeric',
    minute: '2-digit',
    timeZone: 'UTC',
    timeZoneName: 'short',
  });
  return html`<time datetime="${formatInstant(instant)}" data-local-time>${format.format(instant)}</time>`;
}

function dayAndTime(locale: Locale, instant: Instant): Html {
  const format = new Intl.DateTimeFormat(locale, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  });
  return html`<time datetime="${formatInstant(instant)}">${format.format(instant)} UTC</time>`;
}

const TICK = html`<svg class="tick" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="11"/><path d="M7 12.5l3.4 3.4L17 9.2"/></svg>`;
