/** A refusal on the voting page: why, until when, and what the visitor can do next. */
import type { Instant } from '../../domain/clock.ts';
import type { Guild } from '../../domain/guild.ts';
import { type VoteLink, votePath } from '../../domain/votes/vote-link.ts';
import { untilTag } from '../layout/format.ts';
import { type Html, html } from '../layout/html.ts';
import { operatorLinks } from '../layout/operator-links.ts';
import type { PageContext } from '../layout/page.ts';
import { profilePath, signInAddress } from '../paths.ts';
import { guildsSignInAddress } from '../sign-in/sign-in.ts';
import type { ClosedGate } from './gate.ts';
import { voteMessages } from './messages.ts';

/** What the voting page knows about the refused vote. `invite`: to the Discord server, where only members can vote. */
export type ClosedPage = { guild: Guild; link: VoteLink; invite: string | null; now: Instant };

export function closedNotice({ locale }: PageContext, { now }: ClosedPage, gate: ClosedGate): Html {
  const end = endOf(gate);
  const when = end === null ? null : untilTag(end, now, locale);
  const text = voteMessages[locale];
  const { title, text: words } = text.closed[gate.kind](when);
  const publicReason = gate.kind === 'banned' ? gate.ban.publicReason : null;
  return html`<div class="notice warn vote-closed" role="status"><p><strong>${title}</strong></p><p>${words}</p>
${publicReason !== null && html`<p>${text.banReason} <bdi>${publicReason}</bdi></p>`}</div>`;
}

/** Null if waiting does not help. */
function endOf(gate: ClosedGate): Instant | null {
  if (gate.kind === 'banned') return gate.ban.until;
  return 'canVoteAt' in gate ? gate.canVoteAt : null;
}

/** The next steps, the most useful one first. The way back to the site with the link is always among them. */
export function nextSteps(context: PageContext, page: ClosedPage, gate: ClosedGate): Html {
  const text = voteMessages[context.locale];
  const { returnTo } = page.link;
  const { guildId } = page.guild;
  const steps = stepsOf(context, page, gate);
  const back: Step =
    returnTo === null
      ? { href: profilePath(guildId), name: text.toCommunity }
      : { href: returnTo.href, name: text.backTo(returnTo.host), isBack: true };
  return html`<div class="stack vote-steps">${[...steps, back].map((step, index) => stepLink(step, index === 0))}
${gate.kind === 'banned' && contact(context)}</div>`;
}

type Step = { href: string; name: string; isBack?: boolean };

function stepsOf({ locale }: PageContext, page: ClosedPage, gate: ClosedGate): Step[] {
  const text = voteMessages[locale];
  const path = votePath(page.guild.guildId, page.link);
  const join = page.invite === null ? [] : [{ href: page.invite, name: text.join }];
  const otherAccount = { href: signInAddress(path), name: text.otherAccount };
  switch (gate.kind) {
    case 'not_member':
      // The membership is read from Discord again when the page is loaded.
      return [...join, { href: path, name: text.checkAgain }, otherAccount];
    case 'membership_unknown':
      return [{ href: guildsSignInAddress(path), name: text.checkMembership }, ...join];
    case 'young_account':
      return [otherAccount];
    default:
      return [];
  }
}

function stepLink({ href, name, isBack = false }: Step, isPrimary: boolean): Html {
  return html`<a class="button large${!isPrimary && ' secondary'}" href="${href}" rel="noopener"${isBack && html` data-back`}>${name}</a>
`;
}

function contact({ locale, brand }: PageContext): Html {
  return html`<p class="muted small-text">${voteMessages[locale].contact}${operatorLinks(brand)}</p>`;
}
