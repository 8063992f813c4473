import { callerNetwork } from '../../domain/address.ts';
import { hashApiKey, isWellFormedApiKey } from '../../domain/api-key.ts';
import { type Guild, isActive } from '../../domain/guild.ts';
import { isPlaceholderKey } from '../../domain/placeholder.ts';
import type { Admission, AdmissionQuestion, MaybePromise, SoughtVote } from '../../store/store.ts';
import type { Caller } from './caller.ts';
import type { V7Deps } from './deps.ts';

/** What a request says of its caller, and the vote it is after, so that the store is asked once for all of it. */
type Introduction = { key: string; ip: string; sought: SoughtVote | null };

type Deps = Pick<V7Deps, 'store' | 'rateLimit' | 'clock'>;

/** Finds the caller: at once when the store can tell, else by a promise. Neither throws nor rejects. */
export function identify({ store, rateLimit, clock }: Deps) {
  function find(question: AdmissionQuestion): MaybePromise<Caller> {
    const admission = store.admit(question);
    if (admission instanceof Promise) return admission.then((given) => admitted(given, question));
    if (admission) return admitted(admission, question);
    return store.guilds.findByKeyHash(question.keyHash).then((guild) => toCaller(guild, question));
  }

  return ({ key, ip, sought }: Introduction): MaybePromise<Caller> => {
    const network = `ip:${callerNetwork(ip)}`;
    if (!isWellFormedApiKey(key)) {
      return {
        kind: 'refused',
        code: isNotSet(key) ? 'API_NOT_SET' : 'INVALID_API_TOKEN',
        rateIdentity: network,
      };
    }
    const keyHash = hashApiKey(key);
    const callers = { caller: `key:${keyHash}`, otherCaller: network };
    const unknown = (cause: unknown): Caller => ({ kind: 'unknown', cause, rateIdentity: network });
    try {
      const caller = find({ keyHash, ...callers, limit: rateLimit, now: clock(), sought });
      return caller instanceof Promise ? caller.catch(unknown) : caller;
    } catch (cause) {
      return unknown(cause);
    }
  };
}

function admitted({ guild, window, vote }: Admission, question: AdmissionQuestion): Caller {
  const caller = toCaller(guild, question);
  caller.counted = window;
  if (question.sought) caller.latest = { vote };
  return caller;
}

function toCaller(guild: Guild | undefined, { caller, otherCaller }: AdmissionQuestion): Caller {
  if (guild && isActive(guild)) return { kind: 'guild', guild, rateIdentity: caller };
  return { kind: 'refused', code: 'INVALID_API_TOKEN', rateIdentity: otherCaller };
}

/** Node reads headers byte by byte, so an example that is not plain ASCII (`VOTRE_CLÉ_API`) is read again as UTF-8. */
function isNotSet(key: string): boolean {
  return isPlaceholderKey(key) || isPlaceholderKey(Buffer.from(key, 'latin1').toString());
}
