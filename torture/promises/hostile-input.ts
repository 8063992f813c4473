import { startFakeDiscord } from '../../test/support/fake-discord.ts';
import { newUserId, openPassportOffice } from '../lib/passports.ts';
import { startServer } from '../lib/processes.ts';
import type { Trial, TrialWorld } from '../lib/promise.ts';
import { type ShotCounts, shoot } from '../lib/shoot.ts';
import { addGuilds, makeSite } from '../lib/site.ts';

const SEED = 6;
/** Keys in turn, and an address for each request, so that the rate limit lets most of them through. */
const KEYS = 400;
/** One in so many goes through TLS; the handshakes cost more than the requests. */
const TLS_SHARE = 20;

export const hostileTrial: Trial = {
  name: 'hostile-input',
  promise: 'Nothing a client sends gives 5xx, a page from the API, a stack, a hang or a crash.',
  async run({ scale, say }: TrialWorld) {
    const site = await makeSite('sqlite');
    const discord = await startFakeDiscord();
    const office = await openPassportOffice(site.secrets, { isDemo: false });
    try {
      const keys = await addGuilds(site, scale.isQuick ? 20 : KEYS);
      const { cookie } = await office.issue(newUserId());
      const usualHeaders = (n: number) => [
        'x-forwarded-proto: https',
        'host: localhost',
        `x-forwarded-for: 10.${n & 255}.${(n >> 8) & 255}.${n % 251}`,
        `cookie: ${cookie}`,
        ...(n % 4 === 0 ? [] : [`authorization: Bearer ${keys[n % keys.length]}`]),
      ];
      const overTls = Math.ceil(scale.hostileRequests / TLS_SHARE);
      const onProgress = (done: number) => say(`${done} requests`);
      const results: ShotCounts[] = [];
      for (const isTls of [false, true]) {
        const env = {
          ...site.env,
          ...discord.env,
          ...(isTls ? {} : { VOTARY_TRUSTED_PROXIES: '127.0.0.1' }),
        };
        const server = await startServer(env);
        const count = isTls ? overTls : scale.hostileRequests - overTls;
        const target = { port: Number(new URL(server.url).port), isTls };
        const result = await shoot(
          target,
          { usualHeaders },
          { count, seed: SEED + Number(isTls), onProgress },
        );
        if (server.child.exitCode !== null) result.faults.push(`the server crashed: ${server.output()}`);
        if ((await server.stop()) !== 0) result.faults.push('the server did not stop with exit code 0');
        results.push(result);
      }
      return summary(results);
    } finally {
      await office.close();
      await discord.close();
      await site.remove();
    }
  },
};

function summary(results: readonly ShotCounts[]) {
  const statuses: Record<string, number> = {};
  for (const result of results) {
    for (const [status, count] of Object.entries(result.statuses))
      statuses[status] = (statuses[status] ?? 0) + count;
  }
  const sum = (pick: (counts: ShotCounts) => number) => results.map(pick).reduce((a, b) => a + b, 0);
  const broken = results.flatMap(({ faults }) => faults);
  return {
    broken,
    counts: {
      seed: SEED,
      requests: sum(({ requests }) => requests),
      answered: sum(({ answered }) => answered),
      closed: sum(({ closed }) => closed),
      faults: broken.length,
      statuses,
    },
  };
}
