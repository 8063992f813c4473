/**
 * What an admin should do next: one step, decided by what the community has done, and the list of all steps. It disappears
 * when all steps are done, or when an admin dismisses it.
 */
import type { FastifyInstance } from 'fastify';
import type { Guild } from '../../../domain/guild.ts';
import type { Locale } from '../../../domain/locale.ts';
import { SEE_OTHER_STATUS } from '../../errors/page-error.ts';
import { type Html, html } from '../../layout/html.ts';
import { csrfField, type PageContext } from '../../layout/page.ts';
import { adminOf, type DashboardDeps } from '../access.ts';
import { type Tab, tabAddress } from '../frame.ts';
import { nextStepMessages } from './next-step-messages.ts';

const STEPS = ['key', 'test', 'connect', 'share', 'goal'] as const;
type Step = (typeof STEPS)[number];

/** Which steps are done; null if all are, or if an admin dismissed them. */
type Setup = Record<Step, boolean> | null;

const PLACES: Record<Step, [tab: Tab, anchor: string]> = {
  key: ['key', ''],
  test: ['key', '#test-vote'],
  connect: ['key', '#try-it'],
  share: ['share', ''],
  goal: ['settings', '#goal-period'],
};

/** Dismisses the steps for all admins. */
export function nextStepRoute(app: FastifyInstance, { store, clock }: DashboardDeps): void {
  app.post('/checklist/hide', async (request, reply) => {
    const { guildId } = adminOf(request).guild;
    await store.milestones.hideChecklist(guildId, clock());
    return reply.redirect(tabAddress(guildId, 'overview'), SEE_OTHER_STATUS);
  });
}

export async function readSetup(
  { store, webhooks }: DashboardDeps,
  { guildId, hasKey }: Guild,
  hasVotes: boolean,
): Promise<Setup> {
  const { firstRequestAt, hasClaims, isChecklistHidden } = await store.milestones.find(guildId);
  if (isChecklistHidden) return null;
  const [testVote, endpoints, goal] = await Promise.all([
    store.testVotes.find(guildId),
    webhooks.listEndpoints(guildId),
    store.goals.find(guildId),
  ]);
  const steps: Record<Step, boolean> = {
    key: hasKey,
    // Who claims real votes needs no test.
    test: testVote !== null || hasClaims,
    connect: firstRequestAt !== null || hasClaims || endpoints.length > 0,
    share: hasVotes,
    goal: goal !== null,
  };
  return STEPS.every((step) => steps[step]) ? null : steps;
}

export function nextStepView(context: PageContext, guildId: string, setup: Setup): Html | null {
  if (setup === null || context.isReadOnly) return null;
  const text = nextStepMessages[context.locale];
  const next = STEPS.find((step) => !setup[step]);
  if (next === undefined) return null;
  const done = STEPS.filter((step) => setup[step]).length;
  const { name, hint, action } = text.steps[next];
  const [tab, anchor] = PLACES[next];
  return html`<section class="card next-step" aria-labelledby="next-step">
<div class="row between"><p class="next-step-label small-text">${text.title} · ${text.progress(done, STEPS.length)}</p>
<form method="post" action="/dashboard/${guildId}/checklist/hide">${csrfField(context.csrfToken)}<button class="quiet">${text.hide}</button></form></div>
<div class="row between next-step-row"><div class="stack"><h2 id="next-step">${name}</h2><p class="muted measure">${hint}</p></div>
<a class="button" href="${tabAddress(guildId, tab)}${anchor}">${action}</a></div>
<ol class="checklist">${STEPS.map((step) => stepView(context.locale, step, setup[step], step === next))}</ol></section>`;
}

function stepView(locale: Locale, step: Step, isDone: boolean, isNext: boolean): Html {
  const text = nextStepMessages[locale];
  return html`<li class="${isDone ? 'done' : 'open'}"${isNext && html` aria-current="step"`}><span class="visually-hidden">${isDone ? text.done : text.open} </span><strong>${text.steps[step].short}</strong></li>
`;
}
