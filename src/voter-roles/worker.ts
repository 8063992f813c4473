/**
 * Decides who gets or loses the voter role of a guild; src/discord changes it. Any number of processes can share a
 * database: each guild is handled by one at a time, one user after the other, because Discord limits and refuses by
 * guild. Adding and removing a role can be repeated, so after a crash the same users are simply handled again.
 *
 *   const worker = new VoterRoleWorker({ store, clock, change, logger });
 *   worker.start();
 *   await worker.stop();
 */
import type { Logger } from 'pino';
import { type Clock, type Instant, MINUTE_MS, SECOND_MS } from '../domain/clock.ts';
import { type RoleProblem, type RoleResult, roleEndsAt } from '../domain/votes/voter-role.ts';
import { PollingWorker } from '../polling-worker.ts';
import { type DueMember, KEEP_DUE_MEMBERS_MS, type RoleClaim } from '../store/guilds/voter-roles.ts';
import type { Store } from '../store/store.ts';

export type RoleChange = { kind: 'add' | 'remove'; guildId: string; userId: string; roleId: string };

export type ChangeOutcome =
  | { kind: 'done' }
  /** The user is not in the server, or the role that is to be removed does not exist. */
  | { kind: 'absent' }
  /** Nothing can be changed in this guild before that time. */
  | { kind: 'limited'; retryAfterMs: number }
  /** Nothing can be changed in this guild before its admins do something. */
  | { kind: 'refused'; problem: RoleProblem; error: string }
  /** The credentials are wrong. */
  | { kind: 'unauthorized'; error: string }
  /** The role may have been changed. */
  | { kind: 'unknown'; error: string };

/** Rejects only for reasons of our own. */
export type ChangeRole = (change: RoleChange) => Promise<ChangeOutcome>;

type Deps = {
  store: Pick<Store, 'voterRoles'>;
  clock: Clock;
  change: ChangeRole;
  logger: Pick<Logger, 'info' | 'error'>;
  onResult?(result: RoleResult): void;
};

const POLL_MS = SECOND_MS;
const GUILDS_AT_ONCE = 5;
const USERS_AT_ONCE = 10;

/** Is longer than all requests for the users of one claim take together. */
const CLAIM_MS = 3 * MINUTE_MS;

const RETRY_MS = 30 * SECOND_MS;
const RETRY_UNAUTHORIZED_MS = 5 * MINUTE_MS;

/** Discord blocks apps that send many requests that it refuses. */
const RETRY_REFUSED_MS = 30 * MINUTE_MS;

/** Undefined: the next user can be handled. Otherwise the guild waits until then. */
type Pause = Instant | undefined;

export class VoterRoleWorker extends PollingWorker {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    super(POLL_MS);
    this.#deps = deps;
  }

  /** Handles all users who are due. */
  protected async pass(): Promise<void> {
    const { store, clock, logger } = this.#deps;
    try {
      while (!this.isStopping) {
        const now = clock();
        const claim = { now, until: now + CLAIM_MS, limit: GUILDS_AT_ONCE };
        const claimed = await store.voterRoles.claim(claim);
        if (claimed.length === 0) return;
        await Promise.all(claimed.map((guild) => this.#handleGuild(guild)));
      }
    } catch (error) {
      logger.error({ err: error }, 'discord: voter roles cannot be read');
    }
  }

  async #handleGuild(claim: RoleClaim): Promise<void> {
    const { store, clock, logger } = this.#deps;
    try {
      const members = await store.voterRoles.due(claim.guildId, clock(), USERS_AT_ONCE);
      let pause: Pause;
      for (const member of members) {
        if (this.isStopping) break;
        pause = await this.#handleMember(claim, member);
        if (pause !== undefined) break;
      }
      await store.voterRoles.release(claim, pause ?? clock());
    } catch (error) {
      // The claim expires, and the guild is handled again.
      logger.error({ err: error, guild: claim.guildId }, 'discord: voter roles were not recorded');
    }
  }

  async #handleMember({ role }: RoleClaim, member: DueMember): Promise<Pause> {
    const { store, clock } = this.#deps;
    const isCurrent = role?.roleId === member.roleId;
    const endsAt = role && isCurrent ? roleEndsAt(role, member, clock()) : null;
    if (endsAt === null) {
      if (member.state === 'none') await store.voterRoles.drop(member);
      else return this.#change(member, { kind: 'remove', isCurrent }, () => store.voterRoles.drop(member));
    } else if (member.state === 'assigned') await store.voterRoles.keep(member, endsAt);
    // Recorded first: a crash after the request must not leave a role that nobody knows about.
    else if (await store.voterRoles.request(member))
      return this.#change(member, { kind: 'add', isCurrent }, () => store.voterRoles.keep(member, endsAt));
    return undefined;
  }

  /** `isCurrent`: it is the role that the guild has now, and not one from before. */
  async #change(
    member: DueMember,
    { kind, isCurrent }: Pick<RoleChange, 'kind'> & { isCurrent: boolean },
    onDone: () => Promise<void>,
  ): Promise<Pause> {
    const { store, clock, logger, onResult } = this.#deps;
    const { guildId, userId, roleId } = member;
    const outcome = await this.#deps.change({ kind, guildId, userId, roleId });
    switch (outcome.kind) {
      case 'done':
        await onDone();
        if (isCurrent) await store.voterRoles.setProblem(guildId, null, clock());
        onResult?.(kind === 'add' ? 'added' : 'removed');
        return undefined;
      case 'absent':
        await store.voterRoles.drop(member);
        onResult?.('absent');
        return undefined;
      case 'limited':
        onResult?.('limited');
        return clock() + outcome.retryAfterMs;
      case 'refused':
        logger.info(
          { guild: guildId, role: roleId, problem: outcome.problem, error: outcome.error },
          isCurrent
            ? 'discord: a voter role cannot be changed; the dashboard of the community says what to do'
            : 'discord: an earlier voter role cannot be removed',
        );
        onResult?.('refused');
        if (!isCurrent) return this.#postpone(member);
        // Otherwise the role would have to be removed before another one is added, and Discord would refuse that too. After
        // an earlier request whose response was lost, the user may have it.
        if (kind === 'add' && member.state === 'none') await store.voterRoles.cancelRequest(member);
        await store.voterRoles.setProblem(guildId, outcome.problem, clock());
        return clock() + RETRY_REFUSED_MS;
      case 'unauthorized':
        logger.error(
          { error: outcome.error },
          'discord: the bot token was rejected; check VOTARY_DISCORD_BOT_TOKEN',
        );
        onResult?.('retried');
        return clock() + RETRY_UNAUTHORIZED_MS;
      case 'unknown':
        logger.info({ guild: guildId, error: outcome.error }, 'discord: a voter role will be retried');
        onResult?.('retried');
        return clock() + RETRY_MS;
    }
  }

  /** An earlier role that cannot be removed must not keep the current one from being given: the guild goes on at once. */
  async #postpone(member: DueMember): Promise<Pause> {
    const { store, clock } = this.#deps;
    const now = clock();
    const times = { now, until: now + RETRY_REFUSED_MS, since: now - KEEP_DUE_MEMBERS_MS };
    await store.voterRoles.postpone(member, times);
    return now;
  }
}
