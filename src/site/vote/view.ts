import { type Instant, SECOND_MS } from '../../domain/clock.ts';
import type { Guild } from '../../domain/guild.ts';
import type { Locale } from '../../domain/locale.ts';
import type { GoalProgress } from '../../domain/votes/goal.ts';
import { COOLDOWN_MS, type CooldownState } from '../../domain/votes/vote.ts';
import { type VoteLink, votePath } from '../../domain/votes/vote-link.ts';
import type { GuildRules } from '../../store/moderation/integrity.ts';
import type { Wait } from '../../voting/cooldown.ts';
import { TURNSTILE_ACTION, turnstileVoter } from '../../voting/turnstile.ts';
import { nameForm } from '../account-name.ts';
import { goalView } from '../goal/goal.ts';
import { asset } from '../layout/assets.ts';
import { avatar, guildIcon } from '../layout/avatar.ts';
import { formatLongMinutes, untilTag } from '../layout/format.ts';
import { type Content, type Html, html } from '../layout/html.ts';
import { csrfField, type PageContext, PRIVACY_PATH, renderPage } from '../layout/page.ts';
import { cardPath, profilePath } from '../paths.ts';
import type { Person } from '../session.ts';
import { shareLink } from '../sharing/share-link.ts';
import { type AfterVote, notifyButton, voteFigures } from './after.ts';
import { afterMessages } from './after-messages.ts';
import { closedNotice, nextSteps } from './closed.ts';
import { isClosed, type PageGate, signInToVote } from './gate.ts';
import { voteMessages } from './messages.ts';
import { othersView } from './others.ts';

export type VotePage = {
  guild: Guild;
  rules: GuildRules;
  now: Instant;
  /** The invite to the Discord server, where only members can vote. */
  invite: string | null;
  /** Whether the signed-in user may vote now. */
  gate: PageGate;
  votesThisMonth: number;
  /** Null for a community without a goal. */
  goal: GoalProgress | null;
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
${!page.cooldown.hasVoted && page.goal && goalView(context.locale, page.goal, 'p')}
${context.person === null ? signedOut(context, page) : signedIn(context, context.person, page)}
</section>
${page.after && othersView(context, page.after.others)}`;
  return renderPage(context, {
    title: text.title(guild.name),
    description: text.description(guild.name),
    image: { path: cardPath(guild.guildId, context.locale), alt: guild.name },
    main,
    styles: ['vote/vote.css', 'share.css', 'progress.css'],
    scripts: isCountingDown(page) ? ['vote/countdown.js', 'share.js'] : [],
    // A click before it runs would send the vote without a solution, and the voter would have to click again.
    blockingScripts: needsChallenge(page) ? ['vote/challenge.js'] : [],
  });
}

/** Who asks for what: the community, the name that the vote counts for, and the site that the link leads back to. */
function requestView({ locale }: PageContext, { guild, link }: VotePage): Html {
  const text = voteMessages[locale];
  const { externalId, returnTo } = link;
  const community = name(guild.name);
  const request =
    externalId === null ? text.votingFor(community) : text.votingAs(name(externalId), community);
  return html`<div class="vote-request"><p class="clamp"${externalId !== null && html` title="${externalId}"`}>${request}</p>
<p class="muted small-text">${text.seenBy}${returnTo !== null && html` ${text.leadsBackTo(name(returnTo.host))}`}</p></div>`;
}

function signedOut(context: PageContext, page: VotePage): Html {
  const text = voteMessages[context.locale];
  const path = votePath(page.guild.guildId, page.link);
  return html`${page.isDoubledNow && doubledBadge(context.locale)}
<a class="button large" href="${signInToVote(path, page.rules)}">${text.signInToVote}</a>
${requestView(context, page)}
<p class="muted small-text">${page.rules.membersOnly ? text.signInMembers : text.signInWhy} <a href="${PRIVACY_PATH}">${text.privacy}</a></p>`;
}

function signedIn(context: PageContext, person: Person, page: VotePage): Html {
  const text = voteMessages[context.locale];
  const whoVotes = html`<p class="vote-person muted small-text">${avatar({ id: person.userId, name: person.name }, 'small')}<span>${text.signedInAs(name(person.name))}</span></p>`;
  const form = voteForm(context, page);
  if (page.cooldown.hasVoted) {
    return html`${voted(context, page, form)}${whoVotes}`;
  }
  const { gate } = page;
  if (isClosed(gate)) {
    const notice = closedNotice(context, page, gate);
    const steps = nextSteps(context, page, gate);
    const rest = html`${whoVotes}${page.isNameShown && nameForm(context, true)}`;
    if (!isCountingDown(page)) return html`${notice}${steps}${rest}`;
    return html`${againBox(context, page, form)}<div data-until-again>${notice}</div>
${countdown(context, page)}${steps}${rest}`;
  }
  return html`${page.isDoubledNow && doubledBadge(context.locale)}
${gate.kind === 'challenge' && challengeNotice(context.locale, gate)}${form}
${requestView(context, page)}
<p class="muted small-text">${text.rule}</p>${whoVotes}${page.isNameShown && nameForm(context, true)}`;
}

/** The status text is for browsers without scripts; the script replaces it. */
function voteForm(context: PageContext, { guild, link, gate, now }: VotePage): Html {
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
<p class="muted small-text" role="status" data-challenge-status data-busy="${text.challenge.busy}" data-waiting="${text.challenge.waiting}" data-ready="${text.challenge.ready}" data-failed="${text.challenge.failed}">${text.challenge.noScript(untilTag(gate.noChallengeAt, now, context.locale))}</p>
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

function isCountingDown({ gate, cooldown }: VotePage): boolean {
  return cooldown.hasVoted || gate.kind === 'cooldown' || gate.kind === 'busy_network';
}

/** When the vote is possible that the page counts down to. */
function waitOf({ gate, wait, now }: VotePage): Wait {
  if (gate.kind !== 'busy_network') return wait;
  const remainingSeconds = Math.max(0, Math.ceil((gate.canVoteAt - now) / SECOND_MS));
  return { nextVoteAt: gate.canVoteAt, remainingSeconds };
}

function needsChallenge({ gate, cooldown }: VotePage): boolean {
  return gate.kind === 'challenge' && !cooldown.hasVoted;
}

function voted(context: PageContext, page: VotePage, form: Html): Html {
  const { locale } = context;
  const text = voteMessages[locale];
  const { cooldown, guild, after, goal, votedAs } = page;
  return html`${againBox(context, page, form)}<div class="vote-moment" data-until-again>${tick(after?.isNew ?? false)}
<p class="vote-counted" role="status">${cooldown.isDoubled ? text.countedDoubled : text.counted}</p>
${votedAs !== null && html`<p class="clamp" title="${votedAs}">${text.votedAs(name(votedAs))}</p>`}
${otherIdentity(locale, page)}</div>
${after && voteFigures(context, after)}
${goal && goalView(locale, goal, 'p')}
${backLink(locale, page.link)}
${countdown(context, page)}
${nameForm(context, page.isNameShown)}
${shareLink(context, guild, page.shareAddress)}`;
}

/** Hidden until the script shows it, at the end of the countdown. */
function againBox(context: PageContext, page: VotePage, form: Html): Html {
  const { locale } = context;
  const text = voteMessages[locale];
  return html`<div class="stack" data-again hidden><p class="notice" role="status" data-again-text="${text.canVoteAgain}"></p>${page.isDoubledNext && doubledBadge(locale)}${form}${requestView(context, page)}</div>`;
}

function countdown(context: PageContext, page: VotePage): Html {
  const { locale } = context;
  const text = voteMessages[locale];
  const { guild, now } = page;
  const wait = waitOf(page);
  const titles = afterMessages[locale];
  return html`<div class="stack countdown" data-countdown="${wait.remainingSeconds}" data-running-title="${titles.countdownTitle(guild.name)}" data-ready-title="${titles.readyTitle(guild.name)}">
<p class="countdown-label muted" id="countdown-label">${text.nextVote}</p>
<p class="countdown-time" role="timer" aria-labelledby="countdown-label" data-time>${formatLongMinutes(wait.remainingSeconds * SECOND_MS, locale)}</p>
<progress max="${COOLDOWN_MS / 1000}" value="${COOLDOWN_MS / 1000 - wait.remainingSeconds}" aria-label="${text.elapsed}" data-progress></progress>
<p class="muted">${text.nextVoteAt(untilTag(wait.nextVoteAt ?? now, now, locale))} <noscript>${text.reload}</noscript></p>
${notifyButton(context, guild)}
</div>`;
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

/** A vote that was just cast is celebrated with an animation, unless the visitor prefers reduced motion. */
function tick(isNew: boolean): Html {
  return html`<svg class="tick${isNew && ' new'}" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="11"/><path d="M7 12.5l3.4 3.4L17 9.2"/></svg>`;
}
