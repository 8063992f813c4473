import { formatInstant, type Instant, MINUTE_MS } from '../../domain/clock.ts';
import type { Guild } from '../../domain/guild.ts';
import type { Locale } from '../../domain/locale.ts';
import { COOLDOWN_MS, type CooldownState } from '../../domain/votes/cooldown.ts';
import { type Content, type Html, html } from '../layout/html.ts';
import { avatar, csrfField, type PageContext, renderPage, signInAddress } from '../layout/page.ts';
import type { Person } from '../session.ts';
import { voteMessages } from './messages.ts';
import { type VoteLink, votePath } from './vote-link.ts';

export type VotePage = {
  guild: Guild;
  votesThisMonth: number;
  isDoubledNow: boolean;
  link: VoteLink;
  cooldown: CooldownState;
  /** The name the vote of this hour was cast under; null when it had none, or when there is no vote. */
  votedAs: string | null;
};

export function renderVotePage(context: PageContext, page: VotePage): string {
  const text = voteMessages[context.locale];
  const { guild, cooldown } = page;
  const main = html`<section class="card vote">
<div class="vote-head">
${avatar({ id: guild.guildId, name: guild.name }, 'large')}
<h1><bdi>${guild.name}</bdi></h1>
<p class="muted">${text.votesThisMonth(page.votesThisMonth)}</p>
</div>
${identity(context, page)}
${context.person === null ? signedOut(context, page) : signedIn(context, context.person, page)}
</section>`;
  return renderPage(context, {
    title: text.title(guild.name),
    main,
    styles: ['vote.css'],
    scripts: cooldown.hasVoted ? ['countdown.js'] : [],
  });
}

/** Before the vote the name in the link; after it, the name it was counted for. */
function identity({ locale }: PageContext, { link, cooldown, votedAs }: VotePage): Content {
  const text = voteMessages[locale];
  return cooldown.hasVoted
    ? identityLine(votedAs, text.votedAs)
    : identityLine(link.externalId, text.votingAs);
}

function identityLine(externalId: string | null, words: (externalId: Html) => Html): Content {
  if (externalId === null) return null;
  return html`<p class="vote-identity"><span class="clamp" title="${externalId}">${words(name(externalId))}</span></p>`;
}

function signedOut(context: PageContext, page: VotePage): Html {
  const text = voteMessages[context.locale];
  const address = signInAddress(votePath(page.guild.guildId, page.link));
  return html`${doubledBadge(context.locale, page)}
<a class="button large" href="${address}">${text.signInToVote}</a>
<p class="muted small-text">${text.signInWhy}</p>`;
}

function signedIn(context: PageContext, person: Person, page: VotePage): Html {
  const text = voteMessages[context.locale];
  const whoVotes = html`<p class="vote-person muted small-text">${avatar({ id: person.userId, name: person.name }, 'small')}<span>${text.signedInAs(name(person.name))}</span></p>`;
  const form = html`<form class="vote-form" method="post" action="${votePath(page.guild.guildId, page.link)}">
${csrfField(context.csrfToken)}<button class="large">${text.vote}</button>
</form>`;
  if (page.cooldown.hasVoted) {
    return html`${voted(context.locale, page, form)}${backLink(context.locale, page.link)}${whoVotes}`;
  }
  return html`${doubledBadge(context.locale, page)}
${form}
<p class="muted small-text">${text.rule}</p>${whoVotes}`;
}

/** The form waits, hidden, for the script to show it when the countdown ends. */
function voted(locale: Locale, page: VotePage, form: Html): Html {
  const text = voteMessages[locale];
  const { cooldown } = page;
  const remainingMs = cooldown.remainingSeconds * 1000;
  return html`<div class="stack countdown" data-countdown="${cooldown.remainingSeconds}">
<p class="notice good" role="status">${TICK}<span>${cooldown.isDoubled ? text.countedDoubled : text.counted}</span></p>
${otherIdentity(locale, page)}
<p class="countdown-label muted" id="countdown-label">${text.nextVote}</p>
<p class="countdown-time" role="timer" aria-labelledby="countdown-label" data-time>${minutes(locale, remainingMs)}</p>
<progress max="${COOLDOWN_MS / 1000}" value="${COOLDOWN_MS / 1000 - cooldown.remainingSeconds}" aria-label="${text.elapsed}" data-progress></progress>
<p class="muted">${text.nextVoteAt(timeOf(locale, cooldown.nextVoteAt ?? 0))} <noscript>${text.reload}</noscript></p>
</div>
<div class="stack" data-again hidden><p class="notice" role="status" data-again-text="${text.canVoteAgain}"></p>${identityLine(page.link.externalId, text.votingAs)}${form}</div>`;
}

/** A vote belongs to the person; a second link with another name must not look as if it had been counted too. */
function otherIdentity(locale: Locale, { link, votedAs }: VotePage): Content {
  const text = voteMessages[locale];
  if (link.externalId === null || link.externalId === votedAs) return null;
  return html`<p class="notice warn">${votedAs === null ? text.countedWithout : text.countedUnder(name(votedAs))}</p>`;
}

function doubledBadge(locale: Locale, { isDoubledNow }: VotePage): Content {
  return isDoubledNow && html`<p class="badge accent">${voteMessages[locale].doubled}</p>`;
}

function backLink(locale: Locale, { returnTo }: VoteLink): Content {
  if (returnTo === null) return null;
  return html`<a class="button secondary" href="${returnTo.href}" rel="noopener">${voteMessages[locale].backTo(returnTo.host)}</a>`;
}

/** Whatever direction a name is written in, it does not turn the words around it. */
function name(text: string): Html {
  return html`<strong><bdi>${text}</bdi></strong>`;
}

function minutes(locale: Locale, milliseconds: number): string {
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit: 'minute', unitDisplay: 'long' });
  return format.format(Math.ceil(milliseconds / MINUTE_MS));
}

/** In UTC, said so; the script writes it in the time of the reader. */
function timeOf(locale: Locale, instant: Instant): Html {
  const format = new Intl.DateTimeFormat(locale, {
    hour: 'numeric',
    minute: '2-digit',
    timeZone: 'UTC',
    timeZoneName: 'short',
  });
  return html`<time datetime="${formatInstant(instant)}" data-local-time>${format.format(instant)}</time>`;
}

const TICK = html`<svg class="tick" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="11"/><path d="M7 12.5l3.4 3.4L17 9.2"/></svg>`;
