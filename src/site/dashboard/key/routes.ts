import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Guild } from '../../../domain/guild.ts';
import { firstText } from '../../../domain/record.ts';
import { issueKey, type RevealedKey, revealKey, type StoredKey } from '../../../store/guilds/guilds.ts';
import { PageError, SEE_OTHER_STATUS } from '../../errors/page-error.ts';
import { redirectWithFlash } from '../../flash.ts';
import { siteAddress } from '../../paths.ts';
import { voteButtonView } from '../../sharing/badge.ts';
import { adminOf, countAction, type DashboardDeps } from '../access.ts';
import { redirectToTab, sendTab, tabAddress } from '../frame.ts';
import { partsView } from './parts.ts';
import { type Platform, platformAddress, readLanguage, readPlatform } from './platforms.ts';
import { testVoteRoute } from './test-vote.ts';
import { confirmView, type KeyState, keyView, linksView } from './view.ts';

declare module '../../flash.ts' {
  interface Flash {
    /** Whether the key was revealed. The key itself is not in the cookie, but is read from the database again. */
    isKeyShown?: boolean;
  }
}

async function sendKeyTab(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: DashboardDeps,
  guild: Guild,
  state: KeyState,
  platform: Platform,
): Promise<FastifyReply> {
  const { guildId } = guild;
  const site = siteAddress(request);
  const [lastVote] = await deps.store.votes.recent(guildId, null, null, 1);
  const testVote = await deps.store.testVotes.find(guildId);
  const language = readLanguage(firstText(request.query, 'language'), platform);
  const page = { guildId, site, state, platform, language, testVote, now: deps.clock(), lastVote };
  const externalId = firstText(request.query, 'external_id') ?? '';
  return sendTab(request, reply, deps, {
    guild,
    tab: 'key',
    scripts: ['dashboard/live.js'],
    styles: ['dashboard/parts.css'],
    view: (context) =>
      partsView(context.locale, {
        key: keyView(context, page),
        links: linksView(context.locale, { guildId, site, externalId }),
        buttons: voteButtonView(context.locale, site, guild, { isPrimary: true }),
      }),
  });
}

/** The tab "Developer & API". Only the page after "Reveal" contains the key, and it is not cached. */
export function keyRoutes(app: FastifyInstance, deps: DashboardDeps): void {
  const { store, clock, secrets } = deps;
  testVoteRoute(app, deps);

  app.get('/key', async (request, reply) => {
    const { guild } = adminOf(request);
    const isShown = request.flash?.isKeyShown ?? false;
    const state = await readKeyState(deps, guild.guildId, { isShown });
    return sendKeyTab(request, reply, deps, guild, state, readPlatform(firstText(request.query, 'platform')));
  });

  app.post('/key/reveal', { config: { changes: false } }, async (request, reply) => {
    const { guild, person } = adminOf(request);
    const { guildId } = guild;
    await countAction(deps, guildId, 'TOO_MANY_REVEALS');
    const state = await readKeyState(deps, guildId, { isShown: true });
    // Recorded first, so every revealed key is in the log.
    if (state.kind === 'shown')
      await store.activities.record({ guildId, at: clock(), actor: person, action: 'key_shown' });
    const platform = readPlatform(firstText(request.body, 'platform'));
    const address = platformAddress(guildId, platform);
    return (
      redirectWithFlash(request, reply, address, { isKeyShown: true }) ??
      sendKeyTab(request, reply, deps, guild, state, platform)
    );
  });

  redirectToTab(app, '/key/reveal', 'key');

  // For a script that copies the key to the clipboard without showing it.
  app.post('/key/copy', { config: { changes: false } }, async (request, reply) => {
    const { guild, person } = adminOf(request);
    const { guildId } = guild;
    await countAction(deps, guildId, 'TOO_MANY_REVEALS');
    const state = await readKeyState(deps, guildId, { isShown: true });
    if (state.kind !== 'shown') throw new PageError('NOT_FOUND');
    await store.activities.record({ guildId, at: clock(), actor: person, action: 'key_copied' });
    return reply.header('cache-control', 'no-store').send({ key: state.key });
  });

  app.get('/key/regenerate', { config: { changes: true } }, async (request, reply) => {
    const { guild } = adminOf(request);
    const state = await readKeyState(deps, guild.guildId, { isShown: false });
    if (state.kind === 'none') return reply.redirect(tabAddress(guild.guildId, 'key'), SEE_OTHER_STATUS);
    const view = confirmView(guild.guildId, state.version);
    return sendTab(request, reply, deps, { guild, tab: 'key', view });
  });

  app.post('/key/new', async (request, reply) => {
    const { guild, person } = adminOf(request);
    const { guildId } = guild;
    const replaced = firstText(request.body, 'replaces') ?? '';
    const current = versionOf(await store.guilds.findKey(guildId));
    const address = tabAddress(guildId, 'key');
    if (replaced !== current) return reply.redirect(`${address}?done=key-kept`, SEE_OTHER_STATUS);
    const at = clock();
    // Recorded first, so no key is generated without a log entry, even if the process ends in between.
    await store.activities.record({ guildId, at, actor: person, action: 'key_generated' });
    await issueKey(store, secrets, guildId, at);
    const done = current === '' ? 'key-made' : 'key-replaced';
    return reply.redirect(`${address}?done=${done}`, SEE_OTHER_STATUS);
  });
}

async function readKeyState(
  { store, secrets }: DashboardDeps,
  guildId: string,
  { isShown }: { isShown: boolean },
): Promise<KeyState> {
  const stored = await store.guilds.findKey(guildId);
  const revealed = await revealKey(store, secrets, guildId);
  return stored ? stateOf(stored, revealed, isShown) : { kind: 'none' };
}

function stateOf(stored: StoredKey, revealed: RevealedKey, isShown: boolean): KeyState {
  const common = { createdAt: stored.createdAt, version: versionOf(stored) };
  if (!revealed.shown)
    return revealed.reason === 'no-key' ? { kind: 'none' } : { kind: 'unreadable', ...common };
  if (isShown) return { kind: 'shown', key: revealed.key, ...common };
  return { kind: 'masked', lastFour: revealed.key.slice(-4), ...common };
}

/**
 * Identifies a key without revealing it. A form names the key it replaces, so a second click or an old page never
 * revokes a key that was generated in the meantime.
 */
export function versionOf(stored: StoredKey | undefined): string {
  return stored ? stored.hash.slice(0, 16) : '';
}
