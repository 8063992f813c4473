import { measureGoodClient } from '../lib/good-client.ts';
import { startServer } from '../lib/processes.ts';
import { Findings, type Trial, type TrialContext } from '../lib/promise.ts';
import { percentile } from '../lib/random.ts';
import { addGuilds, makeSite } from '../lib/site.ts';
import { openSlowClients } from '../lib/slow-clients.ts';

const P99_LIMIT_MS = 1000;
const KEYS = 200;

export const slowClientsTrial: Trial = {
  name: 'slow-clients',
  promise: 'A thousand clients that never finish their headers do not delay others by a second.',
  async run({ scale, say }: TrialContext) {
    const findings = new Findings();
    const site = await makeSite('sqlite');
    try {
      const keys = await addGuilds(site, KEYS);
      const server = await startServer(site.env);
      const slow = await openSlowClients(Number(new URL(server.url).port), scale.slowClients);
      say(`${scale.slowClients} slow clients are connected`);
      const openCounts: number[] = [];
      const answered = await measureGoodClient({
        url: server.url,
        keys,
        forMs: scale.slowSeconds * 1000,
        p99LimitMs: P99_LIMIT_MS,
        findings,
        onAnswer: () => void openCounts.push(slow.countOpen()),
      });
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
          requests: openCounts.length,
          ...answered,
        },
      };
    } finally {
      await site.remove();
    }
  },
};
