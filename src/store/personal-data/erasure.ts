/**
 * Erases users. Their votes stay, under a random id for each guild, so the totals and rankings of others do not change.
 * Works in small batches, like the removal of a guild; an interrupted erasure can be repeated and continues with the
 * same random ids.
 */
import { setImmediate as yieldToRequests } from 'node:timers/promises';
import { anonymousId, type RandomBelow } from '../../domain/anonymous-id.ts';
import type { Instant } from '../../domain/clock.ts';
import { anonymizeJson, anonymizeText, type Replacement } from '../../domain/text/erased-text.ts';
import { voteId } from '../../domain/votes/vote.ts';
import type { Database } from '../database.ts';
import type { ErasedIdOf } from './erased-ids.ts';
import { prepareErasure } from './erasure-statements.ts';

export type ErasureOptions = {
  batchSize?: number;
  random?: RandomBelow;
  /** Called after each batch, with the number of votes that have become anonymous so far. */
  onProgress?: (votes: number) => void;
};

/** What was erased. `votes` have become anonymous, voided ones included. */
export type Erased = { votes: number; guilds: number };

export interface ErasureStore {
  /** Whether something is stored about the user; `false` for one who was erased, even if their ban remains. */
  isKnown(userId: string): Promise<boolean>;
  /**
   * Ends the sessions of the user, deletes what is stored about them, and makes their votes anonymous; votes that were
   * claimed stay claimed. A ban remains, under a hash of the id. What the user does meanwhile may remain, always with the
   * cooldown of a vote.
   */
  erase(userId: string, now: Instant, options?: ErasureOptions): Promise<Erased>;
}

/** What each database does in its own way. */
export type ErasureParts = {
  /** Removes the user from the accounts that voted from a network. */
  forgetNetworks(userId: string): Promise<void>;
  /** Removes what the files of the database still contain of deleted rows, as far as possible. */
  removeCopies(): Promise<void>;
};

const BATCH_SIZE = 500;
const GUILDS_AT_ONCE = 200;

/** A page of claims that are only read is larger than a batch. SQLite answers no request while it reads one. */
const CLAIM_PAGE_FACTOR = 20;

const castAtOf = ({ cast_at }: { cast_at: Instant }) => cast_at;

/** In texts that belong to no guild. */
const ERASED_NAME = 'erased user';

export function createErasure(database: Database, erasedIdOf: ErasedIdOf, own: ErasureParts): ErasureStore {
  const sql = prepareErasure(database);

  /** The id that replaces the user's in this guild: that of an interrupted erasure, or a new one. */
  async function replacementIn(
    guildId: string,
    userId: string,
    random: RandomBelow | undefined,
  ): Promise<Replacement> {
    const userHash = await erasedIdOf(userId);
    for (;;) {
      const [kept] = await sql.replacement({ guildId, userHash });
      if (kept) return { guildId, userId, anonymousId: kept.anonymous_id };
      const [neighbors = { before: null, after: null }] = await sql.neighbors({
        guildId,
        userId,
        digits: userId.length,
      });
      const newId = anonymousId(userId, neighbors, random);
      if ((await sql.isTaken({ guildId, newId })).length === 0)
        await sql.keepReplacement({ guildId, userHash, newId });
    }
  }

  async function anonymizeAt(replacement: Replacement, castAts: readonly Instant[]): Promise<number> {
    const { guildId, userId, anonymousId: newId } = replacement;
    const rows = castAts.map((castAt) => ({
      castAt,
      oldId: voteId({ guildId, userId, castAt }),
      newId: voteId({ guildId, userId: newId, castAt }),
    }));
    const params = { guildId, userId, newId, rows: JSON.stringify(rows) };
    const [votes = 0, voided = 0] = await sql.anonymizeVotes(params);
    await yieldToRequests();
    return votes + voided;
  }

  async function anonymizeVotes(
    replacement: Replacement,
    limit: number,
    onVotes: (votes: number) => void,
  ): Promise<void> {
    const { guildId, userId, anonymousId: newId } = replacement;
    for (const find of [sql.votes, sql.voidedVotes]) {
      for (;;) {
        const found = await find({ guildId, userId, limit });
        if (found.length === 0) break;
        onVotes(await anonymizeAt(replacement, found.map(castAtOf)));
      }
    }
    await anonymizeClaims(replacement, limit);
    // Others may have voted with the id as the name in their link.
    await sql.renameVotes({ guildId, userId, newId });
  }

  async function anonymizeClaims(replacement: Replacement, limit: number): Promise<void> {
    const { guildId, userId, anonymousId: newId } = replacement;
    for (const { pageEnd, mentioning, rename } of sql.claims) {
      for (let after = Number.MIN_SAFE_INTEGER; ; await yieldToRequests()) {
        const last = (await pageEnd({ guildId, after, limit: limit * CLAIM_PAGE_FACTOR }))[0]?.last ?? null;
        if (last === null) break;
        const found = await mentioning({ guildId, userId, after, last });
        if (found.length > 0) {
          await anonymizeAt(replacement, found.map(castAtOf));
          await rename({ guildId, userId, newId, after, last });
        }
        after = last;
      }
    }
  }

  async function anonymizeEvents(replacement: Replacement, limit: number): Promise<void> {
    const { guildId, userId } = replacement;
    for (let after = ''; ; await yieldToRequests()) {
      const events = await sql.events({ guildId, userId, after, limit });
      for (const { event_id: eventId, body } of events) {
        if (body === null) continue;
        for (const { endpoint_id: endpointId, number, answer, error } of await sql.attempts({
          guildId,
          eventId,
        })) {
          await sql.setAttempt({
            ...{ guildId, eventId, endpointId, number },
            answer: anonymizeText(answer, replacement),
            error: error && anonymizeText(error, replacement),
          });
        }
        await sql.setEvent({ guildId, eventId, body: anonymizeJson(body, replacement) });
      }
      if (events.length < limit) return;
      after = events.at(-1)?.event_id ?? '';
    }
  }

  async function deleteKeys({ guildId, userId }: Replacement, limit: number): Promise<void> {
    for (let after = ''; ; await yieldToRequests()) {
      const page = await sql.keys({ guildId, userId, after, limit });
      for (const { key, is_found } of page) if (is_found) await sql.deleteKey({ guildId, key });
      if (page.length < limit) return;
      after = page.at(-1)?.key ?? '';
    }
  }

  async function deleteResponses(userId: string, limit: number): Promise<void> {
    for (let position = { tokenId: '', key: '' }; ; await yieldToRequests()) {
      const page = await sql.responses({ ...position, userId, limit });
      for (const { token_id: tokenId, key, is_found } of page)
        if (is_found) await sql.deleteResponse({ tokenId, key });
      const end = page.at(-1);
      if (!end || page.length < limit) return;
      position = { tokenId: end.token_id, key: end.key };
    }
  }

  /**
   * A vote is written together with its cooldown. So if the cooldown is still the same at the end, no vote was cast
   * meanwhile; otherwise that vote is erased too. Without this, a vote could remain without its cooldown.
   */
  async function eraseFromGuild(
    replacement: Replacement,
    limit: number,
    onVotes: (votes: number) => void,
  ): Promise<void> {
    const { guildId, userId } = replacement;
    const findCooldown = async () => (await sql.cooldown({ guildId, userId }))[0];
    let cooldown = await findCooldown();
    do {
      await anonymizeVotes(replacement, limit, onVotes);
      await deleteKeys(replacement, limit);
      await anonymizeEvents(replacement, limit);
      if (cooldown) await sql.deleteCooldown({ guildId, userId, lastVoteAt: cooldown.last_vote_at });
      cooldown = await findCooldown();
    } while (cooldown);
  }

  async function anonymizeActivities(userId: string, after: string, last: string): Promise<void> {
    await sql.deleteActivities({ userId, after, last });
    for (const row of await sql.activities({ userId, after, last })) {
      const { guild_id: guildId, activity_id: activityId, detail } = row;
      const replacement = { guildId, userId, anonymousId: ERASED_NAME };
      await sql.setActivity({ guildId, activityId, detail: anonymizeJson(detail, replacement) });
    }
  }

  /** What operators did stays in their log, without the user. */
  async function anonymizeAudit(userId: string, limit: number): Promise<void> {
    for (let position = { at: Number.MIN_SAFE_INTEGER, id: 0 }; ; await yieldToRequests()) {
      const page = await sql.audit({ ...position, userId, limit });
      for (const { at, action_id: id, guild_id, detail } of page) {
        if (detail === null) continue;
        const replacement = { guildId: guild_id ?? '', userId, anonymousId: ERASED_NAME };
        await sql.setAudit({ at, id, userId, name: ERASED_NAME, detail: anonymizeJson(detail, replacement) });
      }
      const end = page.at(-1);
      if (!end || page.length < limit) return;
      position = { at: end.at, id: end.action_id };
    }
  }

  async function erase(
    userId: string,
    now: Instant,
    { batchSize = BATCH_SIZE, random, onProgress = () => {} }: ErasureOptions,
  ): Promise<Erased> {
    const erased = { votes: 0, guilds: 0 };
    const erasedId = await erasedIdOf(userId);
    await sql.endSessions({ userId, erasedId, now });
    await sql.deleteAccount({ userId, erasedId });
    await own.forgetNetworks(userId);
    for (let after = ''; ; ) {
      const page = await sql.guilds({ after, limit: GUILDS_AT_ONCE });
      const last = page.at(-1)?.guild_id;
      if (last === undefined) break;
      for (const { guild_id: guildId } of await sql.guildsOf({ after, last, userId, erasedId })) {
        const replacement = await replacementIn(guildId, userId, random);
        await eraseFromGuild(replacement, batchSize, (votes) => {
          erased.votes += votes;
          onProgress(erased.votes);
        });
        await sql.forgetReplacement({ guildId, erasedId });
        erased.guilds += 1;
      }
      await anonymizeActivities(userId, after, last);
      after = last;
      await yieldToRequests();
    }
    await deleteResponses(userId, batchSize);
    await anonymizeAudit(userId, batchSize);
    await sql.renameInTexts({ userId, name: ERASED_NAME });
    return erased;
  }

  return {
    async isKnown(userId) {
      return (await sql.known({ userId, erasedId: await erasedIdOf(userId) })).length > 0;
    },
    async erase(userId, now, options = {}) {
      const erased = await erase(userId, now, options);
      await own.removeCopies();
      return erased;
    },
  };
}
