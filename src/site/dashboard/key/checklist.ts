import type { Guild } from '../../../domain/guild.ts';
import type { Locale } from '../../../domain/locale.ts';
import { type Html, html } from '../../layout/html.ts';
import { csrfField, type PageContext } from '../../layout/page.ts';
import type { DashboardDeps } from '../access.ts';
import { type Tab, tabAddress } from '../frame.ts';
import { checklistMessages } from './checklist-messages.ts';

const STEPS = ['key', 'request', 'vote', 'reward'] as const;
type Step = (typeof STEPS)[number];

/** Which steps of the setup are done; null if all are, or if an admin dismissed the list. */
type Checklist = Record<Step, boolean> | null;

const PLACES: Record<Step, [tab: Tab, anchor: string]> = {
  key: ['key', ''],
  request: ['key', '#try-it'],
  vote: ['key', '#vote-links'],
  reward: ['webhooks', ''],
};

export async function readChecklist(
  { store, webhooks }: DashboardDeps,
  { guildId, hasKey }: Guild,
  hasVotes: boolean,
): Promise<Checklist> {
  const { firstRequestAt, hasClaims, isChecklistHidden } = await store.activities.milestones(guildId);
  if (isChecklistHidden) return null;
  const reward = hasClaims || (await webhooks.listEndpoints(guildId)).length > 0;
  const steps = { key: hasKey, request: firstRequestAt !== null, vote: hasVotes, reward };
  return STEPS.every((step) => steps[step]) ? null : steps;
}

export function checklistView(context: PageContext, guildId: string, checklist: Checklist): Html | null {
  if (checklist === null || context.isReadOnly) return null;
  const text = checklistMessages[context.locale];
  const done = STEPS.filter((step) => checklist[step]).length;
  return html`<section class="card" aria-labelledby="checklist">
<div class="row between"><div><h2 id="checklist">${text.title}</h2><p class="muted small-text">${text.progress(done, STEPS.length)}</p></div>
<form method="post" action="/dashboard/${guildId}/checklist/hide">${csrfField(context.csrfToken)}<button class="quiet">${text.hide}</button></form></div>
<ol class="checklist">${STEPS.map((step) => stepView(context.locale, guildId, step, checklist[step]))}</ol></section>`;
}

function stepView(locale: Locale, guildId: string, step: Step, isDone: boolean): Html {
  const text = checklistMessages[locale];
  const { name, hint, action } = text.steps[step];
  const [tab, anchor] = PLACES[step];
  return html`<li class="${isDone ? 'done' : 'open'}"><span class="visually-hidden">${isDone ? text.done : text.open} </span><strong>${name}</strong>
${!isDone && html`<span class="muted small-text">${hint}</span> <a class="small-text" href="${tabAddress(guildId, tab)}${anchor}">${action}</a>`}</li>`;
}
