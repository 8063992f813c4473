import type { FastifyInstance } from 'fastify';
import { requireAdmin } from '../access.ts';
import type { DashboardDeps } from '../deps.ts';
import { sendTab } from '../frame.ts';
import { chartPeriod, figuresAt, monthPeriod } from './figures.ts';
import { overviewView } from './view.ts';

const TOP_VOTERS = 10;

export function overviewRoute(app: FastifyInstance, deps: DashboardDeps): void {
  const { store, clock } = deps;
  app.get('/dashboard/:guild_id', async (request, reply) => {
    const { guild } = await requireAdmin(request, deps);
    const { guildId } = guild;
    const now = clock();
    const [daily, topVoters, [lastVote]] = await Promise.all([
      store.votes.daily(guildId, chartPeriod(now)),
      store.votes.topVoters(guildId, monthPeriod(now), TOP_VOTERS),
      store.votes.recent(guildId, null, null, 1),
    ]);
    const overview = { guildId, now, figures: figuresAt(now, daily), lastVote, topVoters };
    return sendTab(request, reply, deps, {
      guild,
      tab: 'overview',
      view: ({ locale }) => overviewView(locale, overview),
      scripts: ['dashboard-chart.js'],
      styles: ['dashboard-overview.css'],
    });
  });
}
