import { isActive } from '../../domain/guild.ts';
import type { Vote } from '../../domain/vote.ts';
import type { MemoryRateStore } from '../memory-rates.ts';
import type { Admission, AdmissionQuestion, SoughtVote } from '../store.ts';
import type { KnownGuilds } from './known-guilds.ts';
import type { LatestVotes } from './latest-votes.ts';

type Memory = { known: KnownGuilds; latest: LatestVotes; rates: MemoryRateStore };

/** `admit` of the store: mostly three looks into memory. The count comes last, when nothing can fail any more. */
export function createAdmit({ known, latest, rates }: Memory): (question: AdmissionQuestion) => Admission {
  return (question) => {
    const guild = known.find(question.keyHash);
    const vote = guild && question.sought ? findVote(latest, guild.guildId, question.sought) : undefined;
    const caller = guild && isActive(guild) ? question.caller : question.otherCaller;
    return { guild, vote, window: rates.hit(caller, question.limit, question.now) };
  };
}

function findVote(latest: LatestVotes, guildId: string, sought: SoughtVote): Vote | undefined {
  if ('userId' in sought) return latest.ofUser(guildId, sought.userId, sought.window);
  return latest.ofExternalId(guildId, sought.externalId, sought.window);
}
