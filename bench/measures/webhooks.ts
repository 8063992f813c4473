/** Deliveries by the webhook worker compared with plain `fetch`: one process each, the same receivers. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { guildId, userId } from '../data-sets/shape.ts';
import { startServer } from '../servers/start.ts';
import { startTask } from '../servers/task.ts';
import { median } from './statistics.ts';

export type WebhookFigures = { ratio: number; perSecond: number; fetchPerSecond: number };

const RECEIVERS = 100;

/** As long as a real event. */
const BODY = JSON.stringify({
  ...{
    id: 'evt_00000000000000000000000000000000',
    type: 'vote_received',
    created_at: '2026-10-31T18:00:00.000Z',
  },
  data: {
    ...{ guild_id: guildId(0), user_id: userId(0, 0), external_id: null, is_doubled: false },
    ...{ voted_at: '2026-10-31T18:00:00.000Z', votes_this_month: 1, votes_total: 1, streak: 1 },
  },
});

export async function measureWebhooks({ data, plan }: Bench): Promise<WebhookFigures> {
  const { folder } = data;
  const path = join(folder, 'webhooks.db');
  const remove = () => {
    for (const ending of ['', '-wal', '-shm']) rmSync(path + ending, { force: true });
  };
  remove();
  const log = (name: string) => join(folder, `${name}.log`);
  const receivers = await startServer('peers/receivers.ts', { count: RECEIVERS }, log('receivers'));
  const urls = receivers.url.split(' ');
  const tasks = {
    ours: await startTask('servers/deliveries.ts', { path, urls }, log('deliveries')),
    fetch: await startTask('peers/fetch-deliveries.ts', { urls, body: BODY }, log('fetch-deliveries')),
  };
  try {
    const count = Math.ceil(plan.warmUp.requests / 30);
    for (const task of Object.values(tasks)) await task.run(count);
    const rounds: { ours: number; fetch: number }[] = [];
    for (let round = 0; round < Math.ceil(plan.rounds / 3); round += 1) {
      rounds.push({ ours: await tasks.ours.run(count), fetch: await tasks.fetch.run(count) });
    }
    return {
      ratio: median(rounds.map((round) => round.ours / round.fetch)),
      perSecond: median(rounds.map((round) => round.ours)),
      fetchPerSecond: median(rounds.map((round) => round.fetch)),
    };
  } finally {
    await Promise.all([tasks.ours.stop(), tasks.fetch.stop(), receivers.stop()]);
    remove();
  }
}
