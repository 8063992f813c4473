/** The public profile of a community, and whether it is in the listing. */
import type { FastifyInstance } from 'fastify';
import {
  type GuildProfile,
  inputOf,
  type ProfileFaults,
  type ProfileInput,
  readProfile,
} from '../../../domain/guild.ts';
import { firstText } from '../../../domain/text.ts';
import type { ActivityDetail } from '../../../store/activities.ts';
import { PageError, SEE_OTHER_STATUS } from '../../errors/page-error.ts';
import { adminOf, type DashboardDeps } from '../access.ts';
import { sendTab, tabAddress } from '../frame.ts';
import { countAction } from '../limits.ts';
import { type ProfileForm, profileAddress, profileForm } from './view.ts';

const FIELDS = ['description', 'tags', 'language', 'invite'] as const satisfies (keyof ProfileInput)[];

/** A field that is wrong comes back in a URL, which browsers and proxies limit. */
const MAX_RETURNED_LENGTH = 1000;

export function profileSettingsRoutes(app: FastifyInstance, deps: DashboardDeps): void {
  const { store, clock } = deps;

  app.get('/settings/profile', { config: { changes: true } }, async (request, reply) => {
    const { guild } = adminOf(request);
    const saved = await store.profiles.find(guild.guildId);
    const input = readInput(request.query) ?? inputOf(saved);
    const read = readProfile(input);
    const isSaved = !hasFaults(read.faults) && !findChanges(saved, read.profile);
    const form: ProfileForm = { guild, input, ...read, isSaved };
    return sendTab(request, reply, deps, {
      guild,
      tab: 'settings',
      view: (context) => profileForm(context, form),
      styles: ['profile.css'],
    });
  });

  app.post('/settings/profile', async (request, reply) => {
    const { guild, person } = adminOf(request);
    const { guildId } = guild;
    await countAction(deps, guildId, 'TOO_MANY_CHANGES');
    const input = readInput(request.body);
    if (!input) throw new PageError('BAD_FORM');
    const { profile, faults } = readProfile(input);
    if (hasFaults(faults)) return reply.redirect(addressWith(guildId, input), SEE_OTHER_STATUS);
    const changes = findChanges(await store.profiles.find(guildId), profile);
    if (changes) {
      const detail = { profile: changes };
      await store.activities.record({
        guildId,
        at: clock(),
        actor: person,
        action: 'profile_changed',
        detail,
      });
      await store.profiles.set(guildId, profile);
    }
    return reply.redirect(`${profileAddress(guildId)}?done=profile-saved`, SEE_OTHER_STATUS);
  });

  app.post('/settings/listing', async (request, reply) => {
    const { guild, person } = adminOf(request);
    const { guildId } = guild;
    await countAction(deps, guildId, 'TOO_MANY_CHANGES');
    const listed = firstText(request.body, 'listed');
    if (listed !== 'yes' && listed !== 'no') throw new PageError('BAD_FORM');
    const isHidden = listed === 'no';
    if (isHidden !== (guild.hiddenAt !== null)) {
      const at = clock();
      const action = isHidden ? 'guild_hidden' : 'guild_shown';
      await store.activities.record({ guildId, at, actor: person, action });
      await store.guilds.setHidden(guildId, isHidden ? at : null);
    }
    const done = isHidden ? 'listing-hidden' : 'listing-shown';
    return reply.redirect(`${tabAddress(guildId, 'settings')}?done=${done}`, SEE_OTHER_STATUS);
  });
}

function hasFaults(faults: ProfileFaults): boolean {
  return Object.keys(faults).length > 0;
}

/** `undefined` without any of the fields. */
function readInput(source: unknown): ProfileInput | undefined {
  const [description, tags, language, invite] = FIELDS.map((name) => firstText(source, name));
  if ([description, tags, language, invite].every((text) => text === undefined)) return undefined;
  return {
    description: description ?? '',
    tags: tags ?? '',
    language: language ?? '',
    invite: invite ?? '',
  };
}

function addressWith(guildId: string, input: ProfileInput): string {
  const cut = FIELDS.map((name) => [name, [...input[name]].slice(0, MAX_RETURNED_LENGTH).join('')]);
  return `${profileAddress(guildId)}?${new URLSearchParams(cut)}`;
}

/** `undefined` if both profiles are the same. */
function findChanges(from: GuildProfile, to: GuildProfile): ActivityDetail['profile'] | undefined {
  const [before, after] = [inputOf(from), inputOf(to)];
  const changed = FIELDS.filter((name) => before[name] !== after[name]);
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map((name) => [name, { from: before[name], to: after[name] }]));
}
