/** The goal of a community: what its admins set. */
import type { FastifyInstance } from 'fastify';
import { firstText } from '../../../domain/record.ts';
import {
  GOAL_PERIODS,
  type Goal,
  type GoalProgress,
  MAX_GOAL_VOTES,
  parseGoalTarget,
} from '../../../domain/votes/goal.ts';
import { changeGoal } from '../../../store/guilds/goals.ts';
import { PageError, SEE_OTHER_STATUS } from '../../errors/page-error.ts';
import { goalLine, goalView } from '../../goal/goal.ts';
import { type Html, html } from '../../layout/html.ts';
import type { PageContext } from '../../layout/page.ts';
import { goalBadgePath } from '../../paths.ts';
import { adminOf, countAction, type DashboardDeps } from '../access.ts';
import { tabAddress } from '../frame.ts';
import { goalSettingMessages } from './goal-messages.ts';

const NO_GOAL = 'none';
const CHOICES = [NO_GOAL, ...GOAL_PERIODS] as const;
/** Suggested to those who have no goal. */
const SUGGESTED_VOTES = 100;

export function goalRoutes(app: FastifyInstance, deps: DashboardDeps): void {
  app.post('/settings/goal', async (request, reply) => {
    const { guild, person } = adminOf(request);
    const { guildId } = guild;
    await countAction(deps, guildId, 'TOO_MANY_CHANGES');
    const goal = readGoal(request.body);
    await changeGoal(deps.store, { guildId, at: deps.clock(), actor: person }, goal);
    return reply.redirect(`${tabAddress(guildId, 'settings')}?done=saved`, SEE_OTHER_STATUS);
  });
}

/** Whether the form contains the goal. */
export function hasGoal(body: unknown): boolean {
  return firstText(body, 'goal_period') !== undefined;
}

export function readGoal(body: unknown): Goal | null {
  const chosen = CHOICES.find((choice) => choice === firstText(body, 'goal_period'));
  if (chosen === NO_GOAL) return null;
  const target = parseGoalTarget(firstText(body, 'goal_votes')?.trim() ?? '');
  if (chosen === undefined || target === undefined) throw new PageError('BAD_FORM');
  return { period: chosen, target };
}

/** Part of the form with all settings. */
export function goalSetting(context: PageContext, guildId: string, progress: GoalProgress | null): Html {
  return html`<div class="card">${goalFields(context, progress)}${progress && currentGoal(context, guildId, progress)}</div>`;
}

function goalFields({ locale, isReadOnly }: PageContext, progress: GoalProgress | null): Html {
  const text = goalSettingMessages[locale];
  const current = progress?.period ?? NO_GOAL;
  const option = (choice: (typeof CHOICES)[number]) =>
    html`<option value="${choice}"${choice === current && html` selected`}>${text.periods[choice]}</option>`;
  return html`<fieldset class="choices" aria-describedby="goal-hint"${isReadOnly && html` disabled`}><legend><h2>${text.title}</h2></legend>
<p class="muted measure" id="goal-hint">${text.lead}</p>
<div class="field"><label for="goal-period">${text.every}</label><select id="goal-period" name="goal_period">${CHOICES.map(option)}</select></div>
<div class="field"><label for="goal-votes">${text.votes}</label><input type="number" id="goal-votes" name="goal_votes" min="1" max="${MAX_GOAL_VOTES}" value="${progress?.target ?? SUGGESTED_VOTES}" required aria-describedby="goal-votes-hint"><p class="muted small-text" id="goal-votes-hint">${text.votesHint}</p></div></fieldset>`;
}

function currentGoal({ locale, origin }: PageContext, guildId: string, progress: GoalProgress): Html {
  const text = goalSettingMessages[locale];
  const badge = goalBadgePath(guildId, locale);
  return html`${goalView(locale, progress, 'p')}
<div class="stack"><p class="muted small-text">${text.badge} <code class="wrap">${origin}${badge}</code></p>
<p><img src="${badge}" alt="${goalLine(locale, progress)}" height="20"></p></div>`;
}
