import type { FastifyInstance } from 'fastify';
import { briefCache } from '../../../domain/brief-cache.ts';
import { SECOND_MS } from '../../../domain/clock.ts';
import { firstText } from '../../../domain/text.ts';
import type { Period } from '../../../domain/votes/period.ts';
import type { Voter } from '../../../store/votes.ts';
import { html } from '../../layout/html.ts';
import { adminOf, type DashboardDeps } from '../access.ts';
import { sendTab } from '../frame.ts';
import { checklistView, readChecklist } from '../key/checklist.ts';
import { liveSource } from '../live.ts';
import { isFailing } from '../webhooks/addresses.ts';
import { figuresAt, figuresPeriod, monthPeriod, readRange } from './figures.ts';
import { readUnusual } from './unusual.ts';
import { overviewView } from './view.ts';

const TOP_VOTERS = 10;
const TOP_VOTERS_KEPT_MS = 10 * SECOND_MS;
const MAX_GUILDS_KEPT = 1000;

export function overviewRoute(app: FastifyInstance, deps: DashboardDeps): void {
  const { store, clock } = deps;
  // Reads every voter of the guild: a second for some hundred thousand. All other figures are cheap and always
  // current.
  const counted = briefCache<Voter[]>({
    clock,
    maxAgeMs: TOP_VOTERS_KEPT_MS,
    maxEntries: MAX_GUILDS_KEPT,
    ageFrom: 'answer',
  });
  const topVotersOf = (guildId: string, month: Period): Promise<Voter[]> =>
    counted.get(`${guildId} ${month.from}`, () => store.votes.topVoters(guildId, month, TOP_VOTERS));

  app.get('', async (request, reply) => {
    const { guild } = adminOf(request);
    const { guildId } = guild;
    const now = clock();
    const range = readRange(firstText(request.query, 'days'));
    // Read first: what changes meanwhile is loaded again.
    const liveState = await deps.live.stateOf(guildId, 'votes');
    const [hourly, [lastVote], endpoints] = await Promise.all([
      store.unusual.hourly(guildId, figuresPeriod(now, range)),
      store.votes.recent(guildId, null, null, 1),
      deps.webhooks.listEndpoints(guildId),
    ]);
    const figures = figuresAt(now, range, hourly);
    const unusual = await readUnusual(store, guildId, now, hourly);
    const topVoters = figures.month === 0 ? [] : await topVotersOf(guildId, monthPeriod(now));
    const checklist = await readChecklist(deps, guild, lastVote !== undefined);
    const people = await store.users.find(topVoters.map(({ userId }) => userId));
    const overview = {
      guildId,
      now,
      figures,
      lastVote,
      topVoters,
      people,
      unusual,
      failing: endpoints.filter(isFailing),
    };
    return sendTab(request, reply, deps, {
      guild,
      tab: 'overview',
      view: (context) =>
        html`${checklistView(context, guildId, checklist)}${overviewView(context.locale, overview)}${liveSource(context.locale, guildId, 'votes', liveState)}`,
      scripts: ['dashboard/chart.js', 'dashboard/live.js'],
      styles: ['dashboard/overview.css'],
    });
  });
}
