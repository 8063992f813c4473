import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Client, castVote, newClient } from '../../lib/client.ts';
import { startDemoServer } from '../../lib/processes.ts';
import { Findings, type Trial, type TrialContext } from '../../lib/promise.ts';
import { percentile } from '../../lib/random.ts';
import { startReceiver } from '../../lib/receiver.ts';
import { newUserId, openSessionIssuer, type SessionIssuer } from '../../lib/sessions.ts';
import { addEndpoint, addGuild, addGuilds, GUILD, makeSite, readVotes } from '../../lib/site.ts';
import type { Sample } from './watch-process.ts';

const WATCHER = new URL('./watch-process.ts', import.meta.url).href;
const KEYS = 400;
const CONNECTIONS = 32;
const REQUESTS_PER_SECOND = 100;
const MAX_GROWTH = 1.1;
const MORE_HANDLES = 10;
const DELAY_LIMIT_MS = 50;

/** What users and programs do, valid and invalid; one of these at a time. */
const ACTIONS: ((client: Client, key: string, issuer: SessionIssuer) => Promise<number>)[] = [
  ...Array.from({ length: 4 }, () => get('/v7/vote-check?discord_id=200000000000000001')),
  get('/v7/guild/votes?limit=100'),
  get('/v7/guild/votes?limit=nonsense&cursor=x'),
  get('/v7/nothing'),
  get('/'),
  get(`/guild/${GUILD}/vote`),
  async (client, _key, issuer) => (await castVote(client, GUILD, await issuer.issue(newUserId()))).status,
];

export const soakTrial: Trial = {
  name: 'soak',
  promise: 'Under mixed load, memory stays flat, no handles leak, and the event loop is never blocked.',
  extraSeconds: ({ soakSeconds }) => soakSeconds / 2,
  async run({ scale, say }: TrialContext) {
    const findings = new Findings();
    const site = await makeSite('sqlite');
    const issuer = await openSessionIssuer(site.secrets, { isDemo: true });
    const receiver = await startReceiver();
    try {
      await addGuild(site);
      const keys = await addGuilds(site, KEYS);
      await addEndpoint(site, receiver.url);
      const samplesFile = join(site.folder, 'samples.ndjson');
      const server = await startDemoServer({
        ...site.env,
        TORTURE_SAMPLES: samplesFile,
        NODE_OPTIONS: `--expose-gc --import=${WATCHER}`,
      });
      const client = newClient(server.url, { maxSockets: CONNECTIONS });
      // Otherwise the handles would only show how many requests waited at the slowest moment.
      await client.warmUp(CONNECTIONS);
      const statuses = await load(client, keys, issuer, scale.soakSeconds, say);
      client.close();
      findings.expect((await server.stop()) === 0, 'the server did not stop with exit code 0');
      const samples = await readSamples(samplesFile);
      const failed = Object.entries(statuses).filter(
        ([status]) => Number(status) >= 500 || status === 'none',
      );
      findings.expect(failed.length === 0, `answers failed: ${JSON.stringify(failed)}`);
      const figures = judge(samples, findings, scale.isQuick);
      return {
        broken: findings.broken,
        counts: {
          seconds_of_load: scale.soakSeconds,
          requests: Object.values(statuses).reduce((a, b) => a + b, 0),
          votes: (await readVotes(site)).size,
          webhooks: receiver.deliveries(),
          statuses,
          ...figures,
        },
      };
    } finally {
      await receiver.close();
      await issuer.close();
      await site.remove();
    }
  },
};

function get(path: string) {
  return async (client: Client, key: string): Promise<number> =>
    (await client.call(path, { headers: { 'x-api-token': key } })).status;
}

/** Starts requests at a constant rate, whether or not earlier ones are answered, like real traffic. */
async function load(
  client: Client,
  keys: readonly string[],
  issuer: SessionIssuer,
  seconds: number,
  say: (text: string) => void,
): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  const open = new Set<Promise<void>>();
  const start = performance.now();
  for (let sent = 0; sent < seconds * REQUESTS_PER_SECOND; sent += 1) {
    const dueIn = start + (sent * 1000) / REQUESTS_PER_SECOND - performance.now();
    if (dueIn > 1) await pause(dueIn);
    const action = ACTIONS[sent % ACTIONS.length];
    const done = Promise.resolve(action?.(client, keys[sent % keys.length] ?? '', issuer))
      .then(
        (status) => String(status),
        () => 'none',
      )
      .then((status) => {
        statuses[status] = (statuses[status] ?? 0) + 1;
        open.delete(done);
      });
    open.add(done);
    if (sent > 0 && sent % (60 * REQUESTS_PER_SECOND) === 0)
      say(`${sent} requests: ${JSON.stringify(statuses)}`);
  }
  await Promise.all(open);
  return statuses;
}

async function readSamples(file: string): Promise<Sample[]> {
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  return lines.map((line): Sample => JSON.parse(line));
}

function judge(samples: readonly Sample[], findings: Findings, isQuick: boolean) {
  const quarter = (n: number) =>
    samples.slice(Math.floor(((n - 1) * samples.length) / 4), Math.floor((n * samples.length) / 4));
  const megabytes = (n: number, pick: (sample: Sample) => number, share: number) =>
    Math.round((percentile(quarter(n).map(pick), share) / 2 ** 20) * 10) / 10;
  // The maximum: in between, the collector returns memory and allocates it again.
  const rss = (n: number) => megabytes(n, (sample) => sample.rss, 1);
  const heap = (n: number) => megabytes(n, (sample) => sample.heap, 1);
  const handles = (n: number) => Math.max(...quarter(n).map((sample) => sample.handles));
  const delay = Math.round((samples.at(-1)?.delayP99Ms ?? 0) * 10) / 10;
  const figures = {
    heap_mb_by_quarter: { first: heap(1), second: heap(2), third: heap(3), last: heap(4) },
    rss_mb_by_quarter: { first: rss(1), second: rss(2), third: rss(3), last: rss(4) },
    handles_by_quarter: { second: handles(2), last: handles(4) },
    event_loop_delay_p99_ms: delay,
  };
  // A few seconds say nothing about memory: then only the campaign itself is tested.
  if (isQuick) return figures;
  findings.expect(heap(4) <= heap(2) * MAX_GROWTH, `the heap grew from ${heap(2)} to ${heap(4)} MB`);
  findings.expect(rss(4) <= rss(2) * MAX_GROWTH, `memory grew from ${rss(2)} to ${rss(4)} MB`);
  findings.expect(
    handles(4) <= handles(2) + MORE_HANDLES,
    `handles grew from ${handles(2)} to ${handles(4)}`,
  );
  findings.expect(delay < DELAY_LIMIT_MS, `p99 of the event loop's delay was ${delay} ms`);
  return figures;
}
