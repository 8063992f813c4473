import type { Person } from '../session.ts';
import type { AdminGuild } from './sign-in.ts';

export type DemoPerson = Person & {
  role: 'administrator' | 'member' | 'newcomer';
  guilds: readonly AdminGuild[];
  memberOf: readonly string[];
};

/** The guild created by `serve --demo`. */
const DEMO_GUILD: AdminGuild = { guildId: '100000000000000001', name: 'Demo Community' };
const UNLISTED_GUILD: AdminGuild = { guildId: '100000000000000002', name: 'Charlie’s Corner' };

const DEMO_MEMBER = [DEMO_GUILD.guildId];

/** One per role. None of them is among the sample voters, so each can vote immediately. */
export const DEMO_PEOPLE: readonly DemoPerson[] = [
  {
    userId: '200000000000000101',
    name: 'Alex',
    role: 'administrator',
    guilds: [DEMO_GUILD],
    memberOf: DEMO_MEMBER,
  },
  { userId: '200000000000000102', name: 'Sam', role: 'member', guilds: [], memberOf: DEMO_MEMBER },
  {
    userId: '200000000000000103',
    name: 'Charlie',
    role: 'newcomer',
    guilds: [UNLISTED_GUILD],
    memberOf: [UNLISTED_GUILD.guildId],
  },
];

/** Alex runs the site, too. */
export const DEMO_OPERATORS: readonly string[] = ['200000000000000101'];
