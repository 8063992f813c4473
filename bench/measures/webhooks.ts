/** Deliveries by the webhook worker compared with plain `fetch`: one process each, the same receivers. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { guildId, userId } from '../data-sets/shape.ts';
import { startServer } from '../servers/start.ts';
import { startTask } from '../servers/task.ts';
import { type Comparison, takeTurns } from './compare.ts';
import { onSameCore } from './cores.ts';
import { VOTARY } from './vote-check.ts';
import { warmUpTask } from './warm-up.ts';

export const FETCH = 'plain fetch';

const RECEIVERS = 100;

/** Of the requests of a warm-up: a delivery takes ten times as long as a vote check. */
const WARM_UP = 1 / 12;
const ROUND = 1 / 120;

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

export async function measureWebhooks({ data, plan }: Bench): Promise<Comparison> {
  const { folder } = data;
  const path = join(folder, 'webhooks.db');
  const remove = () => {
    for (const ending of ['', '-wal', '-shm']) rmSync(path + ending, { force: true });
  };
  remove();
  const log = (name: string) => join(folder, `${name}.log`);
  const receivers = await startServer('peers/receivers.ts', { count: RECEIVERS }, log('receivers'));
  const urls = receivers.url.split(' ');
  const tasks = await Promise.all([
    startTask('servers/deliveries.ts', { path, urls }, log('deliveries')),
    startTask('peers/fetch-deliveries.ts', { urls, body: BODY }, log('fetch-deliveries')),
  ]);
  const [ours, plain] = tasks;
  try {
    const limits = { ...plan.warmUp, requests: plan.warmUp.requests * WARM_UP };
    await Promise.all([warmUpTask(VOTARY, ours, limits), warmUpTask(FETCH, plain, limits)]);
    const count = Math.ceil(plan.warmUp.requests * ROUND);
    const runs = new Map([
      [VOTARY, () => ours.run(count)],
      [FETCH, () => plain.run(count)],
    ]);
    return await onSameCore(tasks, [receivers], () => takeTurns(runs, plan.rounds));
  } finally {
    await Promise.all([ours.stop(), plain.stop(), receivers.stop()]);
    remove();
  }
}
