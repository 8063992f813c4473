/**
 * What operators change, for the console, the command line and the management API. Every change is in the operators'
 * log before it takes effect, so that neither a crash nor an error can leave one out: only `moderate` writes the log.
 */
import type { Clock } from '../domain/clock.ts';
import type { AuditDetail, AuditEntry } from '../store/moderation/audit.ts';
import type { Store } from '../store/store.ts';
import type { ImportResult } from '../store/votes/votes.ts';

/** Who acts, and on what. The command line has no actor. */
export type Moderator = {
  store: Pick<
    Store,
    | 'moderation'
    | 'audit'
    | 'guilds'
    | 'goals'
    | 'voterRoles'
    | 'activities'
    | 'votes'
    | 'tokens'
    | 'maintenance'
  >;
  clock: Clock;
  actor: AuditEntry['actor'];
};

/** `guildId` is null for actions without a single guild. */
type LoggedAction = { action: AuditEntry['action']; guildId: string | null; detail?: AuditDetail };

/** The longest reason that can be given for an action. */
export const REASON_MAX_LENGTH = 500;

/** Writes the action to the log, then carries it out. */
export async function moderate<Result>(
  { store, clock, actor }: Pick<Moderator, 'clock' | 'actor'> & { store: Pick<Store, 'audit'> },
  { action, guildId, detail = {} }: LoggedAction,
  effect: () => Promise<Result>,
): Promise<Result> {
  await store.audit.record({ at: clock(), actor, action, guildId, detail });
  return effect();
}

/** Logs an import before it starts, and its result in a second entry. Its votes can be of several guilds. */
export async function moderateImport(
  moderator: Moderator,
  effect: () => Promise<ImportResult>,
): Promise<ImportResult> {
  const result = await moderate(moderator, { action: 'votes_import_started', guildId: null }, effect);
  const finished = { action: 'votes_imported', guildId: null, detail: { votes: result.imported } } as const;
  return moderate(moderator, finished, async () => result);
}
