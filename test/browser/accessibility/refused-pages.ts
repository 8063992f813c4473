/** The voting page in the states in which it refuses a vote, each with what the voter can do next. */
import { DAY_MS, MINUTE_MS } from '../../../src/domain/clock.ts';
import { NO_RULES } from '../../../src/store/moderation/integrity.ts';
import type { StartedSite } from '../../support/browser/browser.ts';
import type { Stop } from './pages.ts';
import { GUILD } from './seed.ts';

const SAM = '200000000000000102';
const VOTE = `/guild/${GUILD}/vote?external_id=Steve_42&return_to=https://play.example.org/shop`;

export function refusedPages({ store, clock }: StartedSite): Stop[] {
  const ban = async () => {
    await store.guilds.setSanction(GUILD, null);
    await store.moderation.ban({
      ...{ userId: SAM, since: clock(), until: clock() + 3 * DAY_MS },
      ...{ reason: 'A note', publicReason: 'Automated votes' },
    });
  };
  const forMembers = async () => {
    await store.moderation.unban(SAM, clock());
    await store.integrity.setRules(GUILD, { ...NO_RULES, membersOnly: true });
  };
  const forOldAccounts = () => store.integrity.setRules(GUILD, { ...NO_RULES, minAccountAgeDays: 9000 });
  const beginMaintenance = async () => {
    await store.integrity.setRules(GUILD, NO_RULES);
    await store.maintenance.begin({ since: clock(), message: 'Back at 18:00' });
    clock.advance(MINUTE_MS);
  };
  const endMaintenance = async () => {
    await store.maintenance.end();
    clock.advance(MINUTE_MS);
  };
  const stops: Stop[] = [
    { path: VOTE, as: 'Sam', prepare: ban, shows: 'a[href="https://play.example.org/shop"]' },
    { path: VOTE, as: 'Charlie', prepare: forMembers, shows: 'a[href="https://discord.gg/cafe"]' },
    { path: VOTE, as: 'Sam', prepare: forOldAccounts, shows: 'main time' },
    { path: VOTE, as: 'Sam', prepare: beginMaintenance, status: 503, shows: '.fault' },
    { path: `/guild/${GUILD}`, prepare: endMaintenance, shows: 'h1' },
  ];
  return stops.map((stop) => ({ ...stop, isSimilar: true }));
}
