/**
 * What operators do against abuse, for the console and the command line. Every change is in the operators' log before
 * it takes effect, so that neither a crash nor an error can leave one out.
 */
import type { Clock } from '../domain/clock.ts';
import type { AuditDetail, AuditEntry } from '../store/moderation/moderation.ts';
import type { Store } from '../store/store.ts';

/** Who acts, and on what. The command line has no actor. */
export type Moderator = {
  store: Pick<Store, 'moderation' | 'audit'>;
  clock: Clock;
  actor: AuditEntry['actor'];
};

export function recordAction(
  { store, clock, actor }: Pick<Moderator, 'clock' | 'actor'> & { store: Pick<Store, 'audit'> },
  action: AuditEntry['action'],
  guildId: string | null,
  detail: AuditDetail = {},
): Promise<void> {
  return store.audit.record({ at: clock(), actor, action, guildId, detail });
}
