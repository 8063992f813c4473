/**
 * Who may vote for a guild: the rules of the operator and of the guild. The network of a voter and the challenge are
 * decided while the vote is cast (cast-vote.ts); the database decides about bans and the cooldown.
 *
 *   const refusal = await eligibility.refusalOf(request, rules);
 *   const status = await eligibility.statusOf(guildId, userId);
 */
import type { Clock, Instant } from '../domain/clock.ts';
import { type Guild, isActive } from '../domain/guild.ts';
import type { Secrets } from '../domain/secrets.ts';
import { youngUntil } from '../domain/votes/account-age.ts';
import type { Ban } from '../domain/votes/bans.ts';
import { findLinkProblem, type LinkProblem, type LinkSignature } from '../domain/votes/vote-link.ts';
import type { GuildRules } from '../store/moderation/integrity.ts';
import { revealLinkSecrets } from '../store/moderation/link-secrets.ts';
import type { Store } from '../store/store.ts';
import { readWait } from './cooldown.ts';
import { createMaintenanceCheck } from './maintenance.ts';

export type Voter = {
  userId: string;
  /** The IP address; null if it is not known, so that networks are not counted. */
  address: string | null;
  /** Whether the voter is a member of the guild. Only called where the guild requires it. */
  isMember(): Promise<boolean | 'unknown'>;
};

/** A vote that someone wants to cast. */
export type VoteRequest = {
  guild: Guild;
  voter: Voter;
  externalId: string | null;
  /** The signature of the vote link; `trusted` if the caller is known to be allowed to name the voter. */
  signature: LinkSignature | null | 'trusted';
};

/** `canVoteAt`: from when on a vote is possible. */
export type Refusal =
  /** The operator suspended the guild. */
  | { kind: 'sanctioned' }
  /** The operator accepts no votes for now. */
  | { kind: 'maintenance'; message: string | null }
  | { kind: 'bad_link'; problem: LinkProblem }
  | { kind: 'young_account'; canVoteAt: Instant }
  | { kind: 'not_member' }
  /** It is not known whether the voter is a member: their sign-in did not include access to their servers. */
  | { kind: 'membership_unknown' }
  | { kind: 'banned'; ban: Ban }
  | { kind: 'cooldown'; canVoteAt: Instant };

export type AccountRefusal = Extract<Refusal, { kind: 'young_account' | 'banned' | 'cooldown' }>;

export type Eligibility = {
  /** Null if the rules allow the vote. */
  refusalOf(request: VoteRequest, rules: GuildRules): Promise<Refusal | null>;
  /** Only whether the link can be used: what a visitor is told before signing in. */
  linkRefusalOf(link: Omit<VoteRequest, 'voter'>, rules: GuildRules): Promise<Refusal | null>;
  /** Why this account cannot vote for the guild now, whatever its link, membership and network. */
  statusOf(guildId: string, userId: string): Promise<AccountRefusal | null>;
};

type Options = {
  store: Pick<Store, 'integrity' | 'moderation' | 'listing' | 'maintenance'>;
  clock: Clock;
  secrets: Secrets;
  minAccountAgeDays: number;
};

export function createEligibility({ store, clock, secrets, minAccountAgeDays }: Options): Eligibility {
  const findMaintenance = createMaintenanceCheck(store, clock);

  function accountRefusal(userId: string, rules: GuildRules): AccountRefusal | null {
    const days = Math.max(minAccountAgeDays, rules.minAccountAgeDays);
    const canVoteAt = youngUntil(userId, days, clock());
    return canVoteAt === null ? null : { kind: 'young_account', canVoteAt };
  }

  async function membershipRefusal({ isMember }: Voter, rules: GuildRules): Promise<Refusal | null> {
    if (!rules.membersOnly) return null;
    const answer = await isMember();
    if (answer === true) return null;
    return { kind: answer === 'unknown' ? 'membership_unknown' : 'not_member' };
  }

  async function linkRefusalOf(
    { guild, externalId, signature }: Omit<VoteRequest, 'voter'>,
    rules: GuildRules,
  ): Promise<Refusal | null> {
    if (!isActive(guild)) return { kind: 'sanctioned' };
    const maintenance = await findMaintenance();
    if (maintenance) return { kind: 'maintenance', message: maintenance.message };
    if (!rules.signedLinksOnly || signature === 'trusted') return null;
    const now = clock();
    const valid = await revealLinkSecrets(store, secrets, guild.guildId, now);
    const problem = findLinkProblem(guild.guildId, { externalId, signature }, valid, now);
    return problem === null ? null : { kind: 'bad_link', problem };
  }

  return {
    linkRefusalOf,
    async refusalOf(request, rules) {
      const { voter } = request;
      return (
        (await linkRefusalOf(request, rules)) ??
        accountRefusal(voter.userId, rules) ??
        membershipRefusal(voter, rules)
      );
    },
    async statusOf(guildId, userId) {
      const now = clock();
      const [rules, ban, { nextVoteAt: canVoteAt }] = await Promise.all([
        store.integrity.rules(guildId),
        store.moderation.findBan(userId, now),
        readWait(store, guildId, userId, now),
      ]);
      const refusal = accountRefusal(userId, rules);
      if (refusal) return refusal;
      if (ban) return { kind: 'banned', ban };
      return canVoteAt === null ? null : { kind: 'cooldown', canVoteAt };
    },
  };
}
