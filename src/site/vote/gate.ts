/** How the voting page shows what src/voting decided: on the page itself, or as an error page. */
import type { FastifyReply } from 'fastify';
import { type Instant, SECOND_MS } from '../../domain/clock.ts';
import { MAINTENANCE_RETRY_SECONDS } from '../../domain/maintenance.ts';
import type { LinkProblem } from '../../domain/votes/vote-link.ts';
import type { GuildRules } from '../../store/moderation/integrity.ts';
import type { Gate } from '../../voting/cast-vote.ts';
import { PageError, type PageFault } from '../errors/page-error.ts';
import { signInAddress } from '../paths.ts';
import { guildsSignInAddress } from '../sign-in/sign-in.ts';

/** What the page itself explains. */
export type PageGate = Exclude<Gate, { kind: 'sanctioned' | 'maintenance' | 'bad_link' }>;

export type ClosedGate = Exclude<PageGate, { kind: 'open' | 'challenge' }>;

export function isClosed(gate: PageGate): gate is ClosedGate {
  return gate.kind !== 'open' && gate.kind !== 'challenge';
}

/** Where only members can vote, the sign-in includes access to the user's servers. */
export function signInToVote(path: string, { membersOnly }: GuildRules): string {
  return membersOnly ? guildsSignInAddress(path) : signInAddress(path);
}

const REFUSED_STATUS = 403;
const BUSY_STATUS = 429;

/** The links of a community that requires signed ones are its own, so its visitors are told what is wrong with them. */
const LINK_FAULTS = {
  not_signed: 'LINK_NOT_SIGNED',
  wrong_signature: 'LINK_SIGNATURE_WRONG',
  expired: 'LINK_EXPIRED',
} as const satisfies Record<LinkProblem, PageFault>;

/** What the voting page explains. Everything else is thrown as an error page. */
export function showable(gate: Gate): PageGate {
  switch (gate.kind) {
    case 'sanctioned':
      throw new PageError('GUILD_NOT_FOUND');
    case 'maintenance':
      throw new PageError('MAINTENANCE', {
        retryAfterSeconds: MAINTENANCE_RETRY_SECONDS,
        ...(gate.message === null ? {} : { note: gate.message }),
      });
    case 'bad_link':
      throw new PageError(LINK_FAULTS[gate.problem]);
    default:
      return gate;
  }
}

export function setStatus(reply: FastifyReply, gate: PageGate, now: Instant): void {
  const isBusy = gate.kind === 'busy_network';
  reply.code(isBusy ? BUSY_STATUS : REFUSED_STATUS);
  if (isBusy) reply.header('retry-after', Math.max(1, secondsUntil(gate.canVoteAt, now)));
}

function secondsUntil(instant: Instant, now: Instant): number {
  return Math.ceil((instant - now) / SECOND_MS);
}
