import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Instant } from '../../../domain/clock.ts';
import { type Guild, type GuildProfile, hasPremium } from '../../../domain/guild.ts';
import type { Locale } from '../../../domain/locale.ts';
import { firstText } from '../../../domain/record.ts';
import type { GoalProgress } from '../../../domain/votes/goal.ts';
import { DOUBLING_RULES } from '../../../domain/votes/vote.ts';
import { changeClaimSettings } from '../../../store/claims/claim-settings.ts';
import type { Consumer } from '../../../store/claims/consumers.ts';
import { changeGoal } from '../../../store/guilds/goals.ts';
import { changeVoterRole } from '../../../store/guilds/voter-roles.ts';
import { openLinkSecret } from '../../../store/moderation/link-secrets.ts';
import { PageError, SEE_OTHER_STATUS } from '../../errors/page-error.ts';
import { redirectWithFlash } from '../../flash.ts';
import { momentTag } from '../../layout/format.ts';
import { type Html, html } from '../../layout/html.ts';
import { csrfField, type PageContext } from '../../layout/page.ts';
import { adminOf, countAction, type DashboardDeps } from '../access.ts';
import { redirectToTab, sendTab, tabAddress } from '../frame.ts';
import { claimFields, consumersSection, readClaimSettings } from './claims.ts';
import { goalSetting, hasGoal, readGoal } from './goal.ts';
import { settingsMessages } from './messages.ts';
import { profileCards } from './profile.ts';
import {
  changeRules,
  hasRules,
  type LinkSecretState,
  linksSection,
  type RulesPage,
  readRules,
  ruleFields,
} from './rules.ts';
import { hasRole, readRole, type VoterRolePage, voterRoleSetting } from './voter-role.ts';

declare module '../../flash.ts' {
  interface Flash {
    isLinkSecretShown?: boolean;
  }
}

/** Whether a name can claim only one of its votes per hour. */
const NAME_RULES = ['on', 'off'] as const;

type Choice = { name: string; hint: string };

function settingsView(
  context: PageContext,
  guild: Guild,
  profile: GuildProfile,
  now: Instant,
  rules: RulesPage,
  goal: GoalProgress | null,
  consumers: readonly Consumer[],
  voterRole: VoterRolePage,
): Html {
  return html`${profileCards(context, guild, profile)}${settingsForm(context, guild, rules, goal, voterRole)}${consumersSection(context, guild.guildId, consumers)}${linksSection(context, rules)}${premiumView(context.locale, guild, now)}`;
}

/** `links`: the secret for vote links, or as much of it as this page shows. */
async function sendSettings(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: DashboardDeps,
  links: LinkSecretState,
): Promise<FastifyReply> {
  const { guild } = adminOf(request);
  const { guildId } = guild;
  const [rules, profile, goal, consumers, setting] = await Promise.all([
    deps.store.integrity.rules(guildId),
    deps.store.profiles.find(guildId),
    deps.store.goals.progress(guildId, deps.clock()),
    deps.store.consumers.list(guildId),
    deps.store.voterRoles.find(guildId),
  ]);
  const voterRole = { setting, isAvailable: deps.hasVoterRoles ?? false };
  const view = (context: PageContext) =>
    settingsView(
      context,
      guild,
      profile,
      deps.clock(),
      { guildId, rules, links },
      goal,
      consumers,
      voterRole,
    );
  return sendTab(request, reply, deps, {
    guild,
    tab: 'settings',
    view,
    styles: ['profile.css', 'progress.css'],
    scripts: ['dashboard/unsaved.js'],
  });
}

async function readLinkSecret(
  { store, clock, secrets }: DashboardDeps,
  guildId: string,
  { isShown }: { isShown: boolean },
): Promise<LinkSecretState> {
  const stored = await store.integrity.linkSecrets(guildId);
  if (!stored) return { kind: 'none' };
  const isPreviousValid = stored.previousUntil !== null && clock() < stored.previousUntil;
  const previousUntil = isPreviousValid ? stored.previousUntil : null;
  const secret = openLinkSecret(stored.current, guildId, secrets);
  if (secret === undefined) return { kind: 'unreadable', previousUntil };
  return isShown ? { kind: 'shown', secret, previousUntil } : { kind: 'masked', previousUntil };
}

/** One form, so that saving one setting never discards another. */
function settingsForm(
  context: PageContext,
  guild: Guild,
  rules: RulesPage,
  goal: GoalProgress | null,
  voterRole: VoterRolePage,
): Html {
  const { locale, csrfToken, isReadOnly } = context;
  const text = settingsMessages[locale];
  const fields = html`<div class="card">${choices(context, guild)}${claimFields(context, guild)}</div>${goalSetting(context, guild.guildId, goal)}<div class="card">${ruleFields(context, rules)}</div>${voterRoleSetting(context, voterRole)}`;
  if (isReadOnly) return fields;
  return html`<form class="settings-form" method="post" action="${tabAddress(guild.guildId, 'settings')}" data-unsaved-form>${csrfField(csrfToken)}
${fields}
<div class="save-bar"><span class="muted" role="status" hidden data-unsaved="${text.unsaved}"></span><button>${text.save}</button></div></form>`;
}

function choices({ locale, isReadOnly }: PageContext, { doubling, oneRewardPerName }: Guild): Html {
  const text = settingsMessages[locale];
  const nameRule = oneRewardPerName ? 'on' : 'off';
  const disabled = isReadOnly && html` disabled`;
  return html`<fieldset class="choices" aria-describedby="doubling-hint"${disabled}><legend><h2>${text.doubling}</h2></legend>
<p class="muted measure" id="doubling-hint">${text.doublingHint}</p>
${DOUBLING_RULES.map((rule) => choice('doubling', rule, text.rules[rule], rule === doubling))}</fieldset>
<fieldset class="choices" aria-describedby="name-rule-hint"${disabled}><legend><h2>${text.nameRule}</h2></legend>
<p class="muted measure" id="name-rule-hint">${text.nameRuleHint}</p>
${NAME_RULES.map((rule) => choice('one_reward_per_name', rule, text.nameRules[rule], rule === nameRule))}</fieldset>`;
}

function choice(field: string, value: string, text: Choice, isChosen: boolean): Html {
  return html`<label class="choice"><input type="radio" name="${field}" value="${value}" required${isChosen && html` checked`}><span><span class="choice-name">${text.name}</span><span class="muted small-text">${text.hint}</span></span></label>`;
}

function premiumView(locale: Locale, guild: Guild, now: Instant): Html {
  const text = settingsMessages[locale];
  const isPremium = hasPremium(guild, now);
  const until = guild.premiumUntil === null ? null : momentTag(guild.premiumUntil, locale);
  return html`<section class="card" aria-labelledby="premium"><div class="row"><h2 id="premium">${text.premium}</h2>
${isPremium ? html`<span class="badge good">${text.active}</span>` : html`<span class="badge">${text.notActive}</span>`}</div>
${until !== null && html`<p>${isPremium ? text.until(until) : text.ended(until)}</p>`}
<p class="muted measure">${text.gives}</p><p class="muted measure">${text.howTo}</p></section>`;
}

export function settingsRoutes(app: FastifyInstance, deps: DashboardDeps): void {
  const { store, clock } = deps;

  app.get('/settings', async (request, reply) => {
    const { guildId } = adminOf(request).guild;
    const isShown = request.flash?.isLinkSecretShown ?? false;
    return sendSettings(request, reply, deps, await readLinkSecret(deps, guildId, { isShown }));
  });

  app.post('/settings', async (request, reply) => {
    const { guild, person } = adminOf(request);
    const { guildId } = guild;
    await countAction(deps, guildId, 'TOO_MANY_CHANGES');
    const wanted = firstText(request.body, 'doubling');
    const doubling = DOUBLING_RULES.find((rule) => rule === wanted);
    const oneRewardPerName = readNameRule(request.body) ?? guild.oneRewardPerName;
    if (!doubling) throw new PageError('BAD_FORM');
    // Read before anything is changed: an invalid rule rejects the whole form.
    const rules = hasRules(request.body) ? readRules(request.body) : undefined;
    const goal = hasGoal(request.body) ? readGoal(request.body) : undefined;
    const role = hasRole(request.body) ? readRole(request.body, guildId) : undefined;
    const claims = readClaimSettings(request.body);
    const change = { guildId, at: clock(), actor: person };
    // Recorded first, as with keys, so that every setting in effect is in the log.
    if (doubling !== guild.doubling) {
      const detail = { doubling: { from: guild.doubling, to: doubling } };
      await store.activities.record({ ...change, action: 'doubling_changed', detail });
      await store.guilds.setDoubling(guildId, doubling);
    }
    if (oneRewardPerName !== guild.oneRewardPerName) {
      const detail = { oneRewardPerName: { from: guild.oneRewardPerName, to: oneRewardPerName } };
      await store.activities.record({ ...change, action: 'name_rule_changed', detail });
      await store.guilds.setOneRewardPerName(guildId, oneRewardPerName);
    }
    await changeClaimSettings(store, guild, claims, { at: change.at, actor: person });
    if (rules) await changeRules(deps, guildId, rules, person);
    if (goal !== undefined) await changeGoal(store, change, goal);
    if (role !== undefined) await changeVoterRole(store, change, role);
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
    const address = `${tabAddress(guildId, 'settings')}#signed-links`;
    return (
      redirectWithFlash(request, reply, address, { isLinkSecretShown: true }) ??
      sendSettings(request, reply, deps, links)
    );
  });
  redirectToTab(app, '/settings/link-secret/reveal', 'settings');
}

/** `undefined` if the form lacks the field: the rule then stays unchanged. */
function readNameRule(body: unknown): boolean | undefined {
  const given = firstText(body, 'one_reward_per_name');
  if (given === undefined) return undefined;
  const rule = NAME_RULES.find((known) => known === given);
  if (!rule) throw new PageError('BAD_FORM');
  return rule === 'on';
}
