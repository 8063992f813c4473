/** The rules of a community for its voters, and the secret that signs its vote links. */
import type { FastifyInstance } from 'fastify';
import { firstText } from '../../../domain/text.ts';
import { revokePreviousLinkSecret, rotateLinkSecret } from '../../../store/keys.ts';
import type { GuildRules } from '../../../store/moderation/integrity.ts';
import { PageError, SEE_OTHER_STATUS } from '../../errors/page-error.ts';
import { adminOf, type DashboardDeps } from '../access.ts';
import { leadToTab, tabAddress } from '../frame.ts';
import { countAction } from '../limits.ts';
import { readLinkSecret, sendSettings } from '../settings.ts';
import { MAX_AGE_DAYS } from './view.ts';

export function rulesRoutes(app: FastifyInstance, deps: DashboardDeps): void {
  const { store, clock, secrets } = deps;

  app.post('/settings/rules', async (request, reply) => {
    const { guild, person } = adminOf(request);
    const { guildId } = guild;
    const to = readRules(request.body);
    const from = await store.integrity.rules(guildId);
    // Recorded first, as with keys: no rule holds that the log does not know of.
    if (JSON.stringify(from) !== JSON.stringify(to)) {
      const detail = { rules: { from, to } };
      await store.activities.record({ guildId, at: clock(), actor: person, action: 'rules_changed', detail });
    }
    // Without a secret nobody could sign a link, and so nobody could vote.
    if (to.signedLinksOnly && !(await store.integrity.linkSecrets(guildId))) {
      await rotateLinkSecret(store, secrets, guildId, clock());
    }
    await store.integrity.setRules(guildId, to);
    return reply.redirect(`${tabAddress(guildId, 'settings')}?done=saved`, SEE_OTHER_STATUS);
  });

  app.post('/settings/link-secret/reveal', { config: { changes: false } }, async (request, reply) => {
    const { guild, person } = adminOf(request);
    const { guildId } = guild;
    await countAction(deps, guildId, 'TOO_MANY_REVEALS');
    const links = await readLinkSecret(deps, guildId, { isShown: true });
    if (links.kind === 'shown') {
      await store.activities.record({ guildId, at: clock(), actor: person, action: 'link_secret_shown' });
    }
    return sendSettings(request, reply, deps, links);
  });

  app.post('/settings/link-secret/rotate', async (request, reply) => {
    const { guild, person } = adminOf(request);
    const { guildId } = guild;
    await countAction(deps, guildId, 'TOO_MANY_CHANGES');
    await store.activities.record({ guildId, at: clock(), actor: person, action: 'link_secret_rotated' });
    await rotateLinkSecret(store, secrets, guildId, clock());
    return reply.redirect(`${tabAddress(guildId, 'settings')}?done=link-secret-rotated`, SEE_OTHER_STATUS);
  });

  app.post('/settings/link-secret/revoke', async (request, reply) => {
    const { guild, person } = adminOf(request);
    const { guildId } = guild;
    await store.activities.record({ guildId, at: clock(), actor: person, action: 'link_secret_revoked' });
    await revokePreviousLinkSecret(store, guildId);
    return reply.redirect(`${tabAddress(guildId, 'settings')}?done=link-secret-revoked`, SEE_OTHER_STATUS);
  });

  leadToTab(app, '/settings/link-secret/reveal', 'settings');
}

function readRules(body: unknown): GuildRules {
  const days = firstText(body, 'min_account_age_days')?.trim() ?? '';
  if (!/^[0-9]{1,4}$/.test(days) || Number(days) > MAX_AGE_DAYS) throw new PageError('BAD_FORM');
  return {
    minAccountAgeDays: Number(days),
    membersOnly: firstText(body, 'members_only') === 'on',
    signedLinksOnly: firstText(body, 'signed_links_only') === 'on',
  };
}
