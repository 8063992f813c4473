import type { Guild } from '../../../domain/guild.ts';
import type { Locale } from '../../../domain/locale.ts';
import { type Html, html } from '../../layout/html.ts';
import { csrfField, type PageContext } from '../../layout/page.ts';
import type { DashboardDeps } from '../access.ts';
import { type Tab, tabAddress } from '../frame.ts';

const STEPS = ['key', 'request', 'vote', 'reward'] as const;
type Step = (typeof STEPS)[number];

/** Which steps of the setup are done; null if all are, or if an admin dismissed the list. */
type Checklist = Record<Step, boolean> | null;

type StepText = { name: string; hint: string; action: string };

type ChecklistMessages = {
  title: string;
  done: string;
  open: string;
  hide: string;
  progress: (done: number, all: number) => string;
  steps: Record<Step, StepText>;
};

const checklistMessages: Record<Locale, ChecklistMessages> = {
  en: {
    title: 'Get started',
    done: 'Done:',
    open: 'To do:',
    hide: 'Dismiss',
    progress: (done, all) => `${done} of ${all} done`,
    steps: {
      key: {
        name: 'Generate the API key',
        hint: 'Your bot, website or game server authenticates with it.',
        action: 'Generate it',
      },
      request: {
        name: 'Send the first request',
        hint: 'Claim or check a vote with one of the examples.',
        action: 'Show the examples',
      },
      vote: {
        name: 'Get the first vote',
        hint: 'Share the vote link with your members.',
        action: 'Get the vote links',
      },
      reward: {
        name: 'Reward votes',
        hint: 'Claim votes with the API, or receive an event for each vote.',
        action: 'Add a webhook',
      },
    },
  },
  fr: {
    title: 'Premiers pas',
    done: 'Fait\u00A0:',
    open: 'À faire\u00A0:',
    hide: 'Masquer',
    progress: (done, all) => `${done} sur ${all}`,
    steps: {
      key: {
        name: 'Générer la clé API',
        hint: 'Votre bot, votre site ou votre serveur de jeu s’authentifie avec elle.',
        action: 'La générer',
      },
      request: {
        name: 'Envoyer la première requête',
        hint: 'Réclamez ou vérifiez un vote avec l’un des exemples.',
        action: 'Voir les exemples',
      },
      vote: {
        name: 'Obtenir le premier vote',
        hint: 'Partagez le lien de vote avec vos membres.',
        action: 'Obtenir les liens de vote',
      },
      reward: {
        name: 'Récompenser les votes',
        hint: 'Attribuez les récompenses avec l’API, ou recevez un événement pour chaque vote.',
        action: 'Ajouter un webhook',
      },
    },
  },
};

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
