/** The voter role of a community: what its admins set, and what to do when Discord refuses it. */
import type { FastifyInstance } from 'fastify';
import { SNOWFLAKE_MAX_LENGTH } from '../../../domain/identifiers.ts';
import { firstText } from '../../../domain/record.ts';
import {
  isVoterRoleId,
  MAX_ROLE_AMOUNT,
  parseRoleAmount,
  VOTER_RULES,
  type VoterRole,
} from '../../../domain/votes/voter-role.ts';
import { changeVoterRole, type VoterRoleSetting } from '../../../store/guilds/voter-roles.ts';
import { PageError, SEE_OTHER_STATUS } from '../../errors/page-error.ts';
import { momentTag } from '../../layout/format.ts';
import { type Html, html } from '../../layout/html.ts';
import type { PageContext } from '../../layout/page.ts';
import { adminOf, countAction, type DashboardDeps } from '../access.ts';
import { tabAddress } from '../frame.ts';
import { voterRoleSettingMessages } from './voter-role-messages.ts';

/** `isAvailable`: the Discord app of the service can change roles. */
export type VoterRolePage = { setting: VoterRoleSetting | null; isAvailable: boolean };

const NO_ROLE = 'none';
const CHOICES = [NO_ROLE, ...VOTER_RULES] as const;
/** Suggested to those who have no voter role. */
const SUGGESTED_AMOUNT = 24;

export function voterRoleRoutes(app: FastifyInstance, deps: DashboardDeps): void {
  app.post('/settings/voter-role', async (request, reply) => {
    const { guild, person } = adminOf(request);
    const { guildId } = guild;
    await countAction(deps, guildId, 'TOO_MANY_CHANGES');
    const role = readRole(request.body, guildId);
    await changeVoterRole(deps.store, { guildId, at: deps.clock(), actor: person }, role);
    return reply.redirect(`${tabAddress(guildId, 'settings')}?done=saved`, SEE_OTHER_STATUS);
  });
}

/** Whether the form contains the voter role. */
export function hasRole(body: unknown): boolean {
  return firstText(body, 'role_rule') !== undefined;
}

export function readRole(body: unknown, guildId: string): VoterRole | null {
  const rule = CHOICES.find((choice) => choice === firstText(body, 'role_rule'));
  if (rule === NO_ROLE) return null;
  const roleId = firstText(body, 'role_id')?.trim() ?? '';
  const amount = parseRoleAmount(firstText(body, 'role_amount')?.trim() ?? '');
  if (rule === undefined || amount === undefined || !isVoterRoleId(roleId, guildId))
    throw new PageError('BAD_FORM');
  return { roleId, rule, amount };
}

export function voterRoleSetting(context: PageContext, page: VoterRolePage): Html {
  return html`<div class="card">${fields(context, page)}${problemView(context, page)}</div>`;
}

function fields({ locale, isReadOnly }: PageContext, { setting, isAvailable }: VoterRolePage): Html {
  const text = voterRoleSettingMessages[locale];
  const current = setting?.rule ?? NO_ROLE;
  const option = (choice: (typeof CHOICES)[number]) =>
    html`<option value="${choice}"${choice === current && html` selected`}>${text.rules[choice]}</option>`;
  return html`<fieldset class="choices" aria-describedby="voter-role-hint"${isReadOnly && html` disabled`}><legend><h2>${text.title}</h2></legend>
<p class="muted measure" id="voter-role-hint">${text.lead}</p>
<p class="muted measure">${isAvailable ? text.needs : text.unavailable}</p>
<div class="field"><label for="role-rule">${text.rule}</label><select id="role-rule" name="role_rule">${CHOICES.map(option)}</select></div>
<div class="field"><label for="role-id">${text.roleId}</label><input type="text" id="role-id" name="role_id" inputmode="numeric" maxlength="${SNOWFLAKE_MAX_LENGTH}" autocomplete="off" value="${setting?.roleId ?? ''}" aria-describedby="role-id-hint"><p class="muted small-text" id="role-id-hint">${text.roleIdHint}</p></div>
<div class="field"><label for="role-amount">${text.amount}</label><input type="number" id="role-amount" name="role_amount" min="1" max="${MAX_ROLE_AMOUNT}" value="${setting?.amount ?? SUGGESTED_AMOUNT}" required aria-describedby="role-amount-hint"><p class="muted small-text" id="role-amount-hint">${text.amountHint}</p></div></fieldset>`;
}

function problemView({ locale }: PageContext, { setting }: VoterRolePage): Html | null {
  const problem = setting?.problem;
  if (!problem) return null;
  const text = voterRoleSettingMessages[locale];
  return html`<div class="notice bad" role="status"><p><strong>${text.problem(momentTag(problem.since, locale))}</strong></p>
<p>${text.problems[problem.kind]}</p><p>${text.retry}</p></div>`;
}
