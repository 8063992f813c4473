/** The pages, as HTML. */
import type { Guild } from '@votary/sdk/manage';
import type { Outcome } from './voting.ts';

/** Text that is safe to send: only `html` creates it. */
export type Html = { text: string };

type Part = Html | string | number | null | Part[];

/** Escapes every value that is not HTML itself: names of communities are written by strangers. */
export function html(strings: TemplateStringsArray, ...values: Part[]): Html {
  return { text: String.raw({ raw: strings }, ...values.map(render)) };
}

function render(part: Part): string {
  if (part === null) return '';
  if (Array.isArray(part)) return part.map(render).join('');
  if (typeof part === 'object') return part.text;
  return String(part).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function layout(title: string, userId: string | null, content: Html): Html {
  const account = userId
    ? html`<form method="post" action="/sign-out">Signed in as ${userId} <button>Sign out</button></form>`
    : html`<a href="/sign-in">Sign in</a>`;
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<link rel="stylesheet" href="/style.css"><script src="/live.js" defer></script></head>
<body>
<header><a href="/">Example Listing</a> <a href="/billing">Premium</a> ${account}</header>
<main><h1>${title}</h1>
${content}</main>
</body>
</html>
`;
}

function countOf(guildId: string, votes: number | null): Html {
  return html`<output data-guild="${guildId}">${votes ?? '–'}</output> votes this month`;
}

export type ListPage = {
  communities: Guild[];
  votesOf: (guildId: string) => number | null;
  userId: string | null;
};

export function listPage({ communities, votesOf, userId }: ListPage): Html {
  const items = communities.map(
    ({ guildId, name, premiumUntil }) => html`<li><a href="/communities/${guildId}">${name}</a>
${isPremium(premiumUntil) ? html`<strong>Premium</strong> ` : null}${countOf(guildId, votesOf(guildId))}</li>
`,
  );
  return layout('Communities', userId, html`<ul>\n${items}</ul>`);
}

export type CommunityPage = {
  community: Guild;
  votes: number | null;
  userId: string | null;
  /** Identifies the form, so that sending it twice is one vote. */
  attempt: string;
  outcome?: Outcome;
};

export function communityPage({ community, votes, userId, attempt, outcome }: CommunityPage): Html {
  const { guildId, name } = community;
  const form = html`<form method="post" action="/communities/${guildId}/vote">
<input type="hidden" name="attempt" value="${attempt}">
<label>Your name in the game (optional) <input name="name" maxlength="191"></label>
<button>Vote for ${name}</button>
</form>`;
  const content = html`<p>${countOf(guildId, votes)}</p>
${outcome ? describeOutcome(outcome) : null}
${userId ? form : html`<p><a href="/sign-in">Sign in to vote</a></p>`}`;
  return layout(name, userId, content);
}

function describeOutcome({ message, nextVoteAt }: Outcome): Html {
  const next = nextVoteAt && html` You can vote again at ${timeOf(nextVoteAt)}.`;
  return html`<p role="status">${message}${next}</p>`;
}

export function signInPage(userId: string | null): Html {
  const content = html`<p class="fake"><strong>This sign-in is fake.</strong> It believes every visitor, so that you can try the example.
A real site signs its visitors in with Discord.</p>
<form method="post" action="/sign-in">
<label>Discord id <input name="user_id" value="200000000000000099" pattern="[0-9]{15,20}" required></label>
<button>Sign in</button>
</form>`;
  return layout('Sign in', userId, content);
}

export type BillingPage = {
  communities: Guild[];
  orderId: string;
  paidUntil: Date | null;
  userId: string | null;
};

export function billingPage({ communities, orderId, paidUntil, userId }: BillingPage): Html {
  const options = communities.map(
    ({ guildId, name, premiumUntil }) =>
      html`<option value="${guildId}">${name}${isPremium(premiumUntil) ? ' (Premium)' : null}</option>\n`,
  );
  const content = html`<p class="fake"><strong>This shop is fake.</strong> No payment is taken.</p>
${paidUntil ? html`<p role="status">Paid. Premium ends at ${timeOf(paidUntil)}.</p>` : null}
<form method="post" action="/billing">
<input type="hidden" name="order_id" value="${orderId}">
<label>Community <select name="guild_id">
${options}</select></label>
<button>Buy 30 days of Premium</button>
</form>`;
  return layout('Premium', userId, content);
}

export function errorPage(message: string): Html {
  return layout('Sorry', null, html`<p role="alert">${message}</p>`);
}

function isPremium(until: Date | null): boolean {
  return until !== null && until.getTime() > Date.now();
}

function timeOf(date: Date): Html {
  const iso = date.toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}
