/** The rules of a community for its voters, and the secret that signs its vote links. */

import type { FastifyInstance } from 'fastify';
import type { Instant } from '../../../domain/clock.ts';
import type { Locale } from '../../../domain/locale.ts';
import { firstText } from '../../../domain/record.ts';
import type { GuildRules } from '../../../store/moderation/integrity.ts';
import { revokePreviousLinkSecret, rotateLinkSecret } from '../../../store/moderation/link-secrets.ts';
import { PageError, SEE_OTHER_STATUS } from '../../errors/page-error.ts';
import { copyButton } from '../../layout/copy-button.ts';
import { momentTag } from '../../layout/format.ts';
import { type Html, html } from '../../layout/html.ts';
import { csrfField, type PageContext } from '../../layout/page.ts';
import type { Person } from '../../session.ts';
import { adminOf, countAction, type DashboardDeps } from '../access.ts';
import { tabAddress } from '../frame.ts';
import { rulesMessages } from './rules-messages.ts';

const MAX_AGE_DAYS = 3650;

export function rulesRoutes(app: FastifyInstance, deps: DashboardDeps): void {
  const { store, clock, secrets } = deps;

  app.post('/settings/rules', async (request, reply) => {
    const { guild, person } = adminOf(request);
    const { guildId } = guild;
    await countAction(deps, guildId, 'TOO_MANY_CHANGES');
    await changeRules(deps, guildId, readRules(request.body), person);
    return reply.redirect(`${tabAddress(guildId, 'settings')}?done=saved`, SEE_OTHER_STATUS);
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
}

export async function changeRules(
  { store, clock, secrets }: DashboardDeps,
  guildId: string,
  to: GuildRules,
  actor: Person,
): Promise<void> {
  const from = await store.integrity.rules(guildId);
  // Recorded first, as with keys, so that every rule in effect is in the log.
  if (JSON.stringify(from) !== JSON.stringify(to)) {
    const detail = { rules: { from, to } };
    await store.activities.record({ guildId, at: clock(), actor, action: 'rules_changed', detail });
  }
  // Without a secret no link could be signed, and nobody could vote.
  if (to.signedLinksOnly && !(await store.integrity.linkSecrets(guildId))) {
    await rotateLinkSecret(store, secrets, guildId, clock());
  }
  await store.integrity.setRules(guildId, to);
}

/** Whether the form contains the rules. A page that was opened before an upgrade may lack them. */
export function hasRules(body: unknown): boolean {
  return firstText(body, 'min_account_age_days') !== undefined;
}

export function readRules(body: unknown): GuildRules {
  const days = firstText(body, 'min_account_age_days')?.trim() ?? '';
  if (!/^[0-9]{1,4}$/.test(days) || Number(days) > MAX_AGE_DAYS) throw new PageError('BAD_FORM');
  return {
    minAccountAgeDays: Number(days),
    membersOnly: firstText(body, 'members_only') === 'on',
    signedLinksOnly: firstText(body, 'signed_links_only') === 'on',
  };
}

/** `unreadable`: encrypted with a different master secret. */
export type LinkSecretState =
  | { kind: 'none' }
  | { kind: 'masked' | 'unreadable'; previousUntil: Instant | null }
  | { kind: 'shown'; secret: string; previousUntil: Instant | null };

export type RulesPage = { guildId: string; rules: GuildRules; links: LinkSecretState };

export function ruleFields({ locale, isReadOnly }: PageContext, { rules }: RulesPage): Html {
  const text = rulesMessages[locale];
  return html`<fieldset class="choices" aria-describedby="rules-hint"${isReadOnly && html` disabled`}><legend><h2>${text.title}</h2></legend>
<p class="muted measure" id="rules-hint">${text.lead}</p>
<div class="field"><label for="min-age">${text.age}</label><input type="number" id="min-age" name="min_account_age_days" min="0" max="${MAX_AGE_DAYS}" value="${rules.minAccountAgeDays}" required aria-describedby="min-age-hint"><p class="muted small-text" id="min-age-hint">${text.ageHint}</p></div>
${checkbox('members_only', text.members, rules.membersOnly)}
${checkbox('signed_links_only', text.signed, rules.signedLinksOnly)}</fieldset>`;
}

/** A short summary of the rules, for the activity log. */
export function summarizeRules(locale: Locale, rules: GuildRules): string {
  const text = rulesMessages[locale];
  const parts = [
    rules.minAccountAgeDays > 0 && text.summary.age(rules.minAccountAgeDays),
    rules.membersOnly && text.members.name,
    rules.signedLinksOnly && text.signed.name,
  ].filter((part) => part !== false);
  return parts.length === 0 ? text.summary.none : parts.join(', ');
}

function checkbox(name: string, text: { name: string; hint: string }, isChecked: boolean): Html {
  return html`<label class="choice"><input type="checkbox" name="${name}" value="on"${isChecked && html` checked`}><span><span class="choice-name">${text.name}</span><span class="muted small-text">${text.hint}</span></span></label>`;
}

export function linksSection(context: PageContext, page: RulesPage): Html {
  const text = rulesMessages[context.locale].links;
  return html`<section class="card" aria-labelledby="signed-links">
<div class="stack"><h2 id="signed-links">${text.title}</h2><p class="muted measure">${text.lead}</p></div>
${page.links.kind === 'none' ? html`<p class="muted">${text.none}</p>` : secretLine(context, page.links)}
<div class="row">${secretActions(context, page)}</div>
${previousLine(context, page)}
<p><a class="quiet" href="/docs/guides/signed-links">${text.guide}</a></p></section>`;
}

function secretLine({ locale }: PageContext, links: Exclude<LinkSecretState, { kind: 'none' }>): Html {
  const text = rulesMessages[locale].links;
  if (links.kind === 'unreadable') return html`<p class="notice warn">${text.unreadable}</p>`;
  const secret = links.kind === 'shown' ? links.secret : `vls_${'•'.repeat(20)}`;
  return html`<div class="key-line"><span class="visually-hidden">${text.label}</span><code class="key" id="link-secret">${secret}</code></div>`;
}

function secretActions(context: PageContext, { guildId, links }: RulesPage): Html {
  const { locale, isReadOnly } = context;
  const text = rulesMessages[locale].links;
  const shown = html`${copyButton(locale, 'link-secret', text.copy)}<a class="button small secondary" href="${tabAddress(guildId, 'settings')}">${text.hide}</a>`;
  const change = links.kind === 'none' ? text.create : text.rotate;
  return html`${links.kind === 'shown' && shown}
${links.kind === 'masked' && action(context, guildId, 'reveal', text.reveal)}
${!isReadOnly && action(context, guildId, 'rotate', change)}`;
}

function previousLine(context: PageContext, { guildId, links }: RulesPage): Html | null {
  const text = rulesMessages[context.locale].links;
  if (links.kind === 'none') return null;
  const { previousUntil } = links;
  if (previousUntil === null) return html`<p class="muted small-text">${text.rotateHint}</p>`;
  return html`<div class="row"><p class="muted small-text">${text.previous(momentTag(previousUntil, context.locale))}</p>
${!context.isReadOnly && action(context, guildId, 'revoke', text.revoke)}</div>`;
}

function action(
  { csrfToken }: PageContext,
  guildId: string,
  name: 'reveal' | 'rotate' | 'revoke',
  label: string,
): Html {
  return html`<form method="post" action="${tabAddress(guildId, 'settings')}/link-secret/${name}">${csrfField(csrfToken)}<button class="small secondary">${label}</button></form>`;
}
