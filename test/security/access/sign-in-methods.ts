/**
 * The two kinds of sign-in, with the same three users for each: the page of the demo, and Discord.
 *
 *   const signInMethod = await openSignInMethod('discord', clock);
 *   const visitor = await signInMethod.enter(app, 'Alex');
 *   signInMethod.setAdminGuilds('Alex', [{ guildId, name }]);
 */
import assert from 'node:assert/strict';
import type { FastifyInstance } from 'fastify';
import { readConfig } from '../../../src/config.ts';
import { chooseSignIn } from '../../../src/site/sign-in/choose-sign-in.ts';
import { DEMO_PEOPLE, demoSignIn } from '../../../src/site/sign-in/demo-sign-in.ts';
import type { AdminGuild, SignIn } from '../../../src/site/sign-in/sign-in.ts';
import { newVisitor, type Visitor } from '../../site/visitor.ts';
import type { TestClock } from '../../support/clock.ts';
import { type FakePerson, startFakeDiscord } from '../../support/discord/fake-discord.ts';

export type SignInKind = 'demo' | 'discord';

export type SignInMethod = {
  signIn: SignIn;
  /** A browser in which this user has signed in. */
  enter(app: FastifyInstance, name: string): Promise<Visitor>;
  /** Discord is queried once a minute: until then the site uses the previous result. */
  setAdminGuilds(name: string, guilds: AdminGuild[]): void;
  close(): Promise<void>;
};

export function openSignInMethod(kind: SignInKind, clock: TestClock): Promise<SignInMethod> {
  return kind === 'demo' ? openDemo() : openDiscord(clock);
}

async function openDemo(): Promise<SignInMethod> {
  const adminGuilds = new Map<string | undefined, AdminGuild[]>();
  return {
    signIn: {
      ...demoSignIn(),
      adminGuilds: async ({ person }) => adminGuilds.get(person?.name) ?? [],
    },
    enter: async (app, name) => {
      const visitor = newVisitor(app);
      await visitor.signIn(name);
      return visitor;
    },
    setAdminGuilds: (name, guilds) => adminGuilds.set(name, guilds),
    close: async () => {},
  };
}

async function openDiscord(clock: TestClock): Promise<SignInMethod> {
  const discord = await startFakeDiscord();
  const stranger = discord.person;
  const people = new Map(DEMO_PEOPLE.map(({ userId, name }) => [name, newPerson(userId, name)]));
  return {
    signIn: chooseSignIn(readConfig(discord.env), clock),
    enter: async (app, name) => {
      const visitor = newVisitor(app);
      discord.person = people.get(name) ?? stranger;
      const answer = await visitor.get(await consent(visitor));
      // Users who sign in later are unknown to these tests: Mona.
      discord.person = stranger;
      assert.equal(answer.status, 303);
      return visitor;
    },
    setAdminGuilds: (name, guilds) => {
      const person = people.get(name);
      if (person) person.guilds = guilds.map((guild) => ({ ...guild, id: guild.guildId, permissions: '8' }));
    },
    close: () => discord.close(),
  };
}

function newPerson(id: string, name: string): FakePerson {
  return { id, username: name.toLowerCase(), global_name: name, guilds: [] };
}

/** Starts a sign-in in this browser and consents at Discord. Returns the callback URL. */
export async function consent(visitor: Visitor): Promise<string> {
  const { location = '' } = await visitor.get('/sign-in?guilds=1');
  const { headers } = await fetch(location, { redirect: 'manual' });
  const { pathname, search } = new URL(headers.get('location') ?? '');
  return pathname + search;
}
