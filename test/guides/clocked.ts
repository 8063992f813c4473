/**
 * The whole service behind real TLS in this process, with the clock of the test and the default rate limit, for programs
 * that call it from outside. `sent()` are the API requests so far.
 *
 *   const service = await startClocked();
 *   service.clock.advance(60_000); // a new minute for the rate limit
 */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { generateApiKey, hashApiKey } from '../../src/domain/keys/api-key.ts';
import { deriveSecrets } from '../../src/domain/secrets.ts';
import { buildServer } from '../../src/server.ts';
import { announceChanges, FeedWaiters } from '../../src/store/announce.ts';
import { portOf } from '../http/support.ts';
import { trustedCertificate } from '../sdk/support/local-service.ts';
import { testServerDeps } from '../support/api.ts';
import { MASTER_SECRET, openFixture } from '../webhooks/fixture.ts';
import { environment } from './services.ts';

type SentResponse = { method: string; url: string; status: number };

export async function startClocked() {
  const fixture = await openFixture();
  // Programs verify signatures with the real time.
  fixture.clock.set(Date.now());
  const feedWaiters = new FeedWaiters(fixture.store.feed);
  const notify = (guildId: string) => feedWaiters.notify(guildId);
  const store = announceChanges(fixture.store, { onVote: notify, onEvents: () => {}, onAccess: notify });
  const app = buildServer({
    ...testServerDeps(store, fixture.clock, deriveSecrets(MASTER_SECRET)),
    feedWaiters,
    transport: { kind: 'tls', certificate: { ...trustedCertificate, isSelfSigned: true } },
  });
  const sent: SentResponse[] = [];
  const arrivals = new EventTarget();
  app.addHook('onResponse', async ({ method, url }, { statusCode: status }) => {
    if (url.startsWith('/v7/')) sent.push({ method, url, status });
    arrivals.dispatchEvent(new Event('sent'));
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const folder = await mkdtemp(join(tmpdir(), 'votary-clocked-'));
  const certificate = join(folder, 'cert.pem');
  await writeFile(certificate, trustedCertificate.cert);
  after(async () => {
    feedWaiters.close();
    await app.close();
    await rm(folder, { recursive: true });
  });
  const url = `https://127.0.0.1:${portOf(app.server)}`;
  return {
    ...fixture,
    store,
    url,
    certificate,
    sent: () => sent,
    /** Resolves when the API has sent such a response, counted from now. */
    untilSent: async (isWanted: (response: SentResponse) => boolean) => {
      const before = sent.length;
      while (!sent.slice(before).some(isWanted)) await once(arrivals, 'sent');
    },
    /** A new key of the guild, in the variables that the guides use. */
    async environmentOf(guildId: string): Promise<Record<string, string>> {
      const key = generateApiKey();
      await store.guilds.setKey(guildId, {
        hash: hashApiKey(key),
        sealed: '',
        createdAt: fixture.clock(),
      });
      return environment(url, key, certificate);
    },
  };
}
