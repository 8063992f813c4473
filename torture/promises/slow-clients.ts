import { setTimeout as pause } from 'node:timers/promises';
import { type Client, newClient } from '../lib/client.ts';
import { startServer } from '../lib/processes.ts';
import { Findings, type Trial, type TrialWorld } from '../lib/promise.ts';
import { percentile } from '../lib/random.ts';
import { addGuilds, makeSite } from '../lib/site.ts';
import { openSlowClients } from '../lib/slow-clients.ts';

const P99_LIMIT_MS = 1000;
const BETWEEN_MS = 10;
const KEYS = 200;

export const slowClientsTrial: Trial = {
  name: 'slow-clients',
  promise: 'A thousand clients that never finish their headers do not keep a good one waiting for a second.',
  async run({ scale, say }: TrialWorld) {
    const findings = new Findings();
    const site = await makeSite('sqlite');
    try {
      const keys = await addGuilds(site, KEYS);
      const server = await startServer(site.env);
      const slow = await openSlowClients(Number(new URL(server.url).port), scale.slowClients);
      say(`${scale.slowClients} slow clients are connected`);
      const openCounts: number[] = [];
      const good = { keys, forMs: scale.slowSeconds * 1000, findings };
      const onAnswer = () => void openCounts.push(slow.countOpen());
      const [kept, fresh] = await Promise.all([
        measureGoodOnes(newClient(server.url, { maxSockets: 4 }), good, onAnswer),
        measureGoodOnes(newClient(server.url, { keepAlive: false }), good, onAnswer),
      ]);
      const stillOpen = slow.countOpen();
      slow.close();
      findings.expect((await server.stop()) === 0, 'the server did not stop with exit code 0');
      const mostlyOpen = percentile(openCounts, 0.05);
      findings.expect(
        mostlyOpen >= scale.slowClients / 2,
        `for a twentieth of the good requests only ${mostlyOpen} slow clients were there`,
      );
      return {
        broken: findings.broken,
        counts: {
          slow: scale.slowClients,
          lowest_open: Math.min(...openCounts),
          still_open: stillOpen,
          renewed: slow.countRenewed(),
          requests: kept.length + fresh.length,
          kept_alive: judge(kept, 'a kept connection', findings),
          new_connection: judge(fresh, 'a new connection', findings),
        },
      };
    } finally {
      await site.remove();
    }
  },
};

type GoodOnes = { keys: readonly string[]; forMs: number; findings: Findings };

/** One after the other, for so long; gives how long each took, a new connection's handshake with it. */
async function measureGoodOnes(
  client: Client,
  { keys, forMs, findings }: GoodOnes,
  onAnswer: () => void,
): Promise<number[]> {
  const times: number[] = [];
  for (const start = performance.now(); performance.now() - start < forMs; await pause(BETWEEN_MS)) {
    const before = performance.now();
    const { status } = await client.call('/v7/vote-check?discord_id=200000000000000001', {
      headers: { 'x-api-token': keys[times.length % keys.length] ?? '' },
    });
    times.push(performance.now() - before);
    findings.expect(status === 200, `a good request got ${status}`);
    onAnswer();
  }
  client.close();
  return times;
}

function judge(times: number[], on: string, findings: Findings): Record<string, number> {
  const p99 = Math.round(percentile(times, 0.99));
  findings.expect(p99 < P99_LIMIT_MS, `p99 of good requests on ${on} was ${p99} ms`);
  return { requests: times.length, p50_ms: Math.round(percentile(times, 0.5)), p99_ms: p99 };
}
