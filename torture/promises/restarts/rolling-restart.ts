import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readConfig } from '../../../src/config.ts';
import { loadSelfSigned } from '../../../src/secrets/certificate.ts';
import { freePort } from '../../../test/support/free-port.ts';
import { castVote, inParallel, newClient } from '../../lib/client.ts';
import { startServer } from '../../lib/processes.ts';
import { Findings, type Trial, type TrialContext } from '../../lib/promise.ts';
import { newUserId, openSessionIssuer } from '../../lib/sessions.ts';
import { addGuild, addGuilds, GUILD, makeSite } from '../../lib/site.ts';

const KEYS = 400;
const IN_PARALLEL = 8;
/** One in this many requests is a vote. */
const VOTE_EVERY = 20;
const CONFIGURATION = new URL('../../../deploy/nginx.conf', import.meta.url);

export const rollingRestartTrial: Trial = {
  name: 'rolling-restart',
  promise:
    'Two processes behind nginx are restarted one after the other, and no request fails, including votes.',
  async run({ scale, say }: TrialContext) {
    const findings = new Findings();
    const site = await makeSite('postgres');
    const issuer = await openSessionIssuer(site.secrets);
    const [port, ...ports] = [await freePort(), await freePort(), await freePort()];
    const nginx = await startNginx(port ?? 0, ports);
    const counts = { requests: 0, votes: 0, failed: 0, interrupted: 0, restarts: 0 };
    try {
      const keys = await addGuilds(site, KEYS);
      await addGuild(site);
      const own = { VOTARY_TRUSTED_PROXIES: '127.0.0.1', VOTARY_PUBLIC_URL: 'https://votes.example.org' };
      const start = (ownPort: number) => startServer({ ...site.env, ...own, VOTARY_PORT: String(ownPort) });
      const servers = await Promise.all(ports.map(start));
      const client = newClient(`https://127.0.0.1:${port}`);
      const statuses = new Map<number, number>();
      let isOver = false;
      const restarting = (async () => {
        while (!isOver) {
          const turn = counts.restarts % servers.length;
          findings.expect((await servers[turn]?.stop()) === 0, 'a process did not stop with exit code 0');
          servers[turn] = await start(ports[turn] ?? 0);
          counts.restarts += 1;
          say(`${counts.requests} requests, ${counts.restarts} restarts, ${counts.failed} failed`);
        }
      })();
      await inParallel(
        IN_PARALLEL,
        // Until each process was restarted, however fast the requests are answered.
        () => counts.requests >= scale.rollingRequests && counts.restarts >= servers.length,
        async () => {
          counts.requests += 1;
          const isVote = counts.requests % VOTE_EVERY === 0;
          const headers = { authorization: `Bearer ${keys[counts.requests % keys.length]}` };
          const answer = isVote
            ? castVote(client, GUILD, await issuer.issue(newUserId()))
            : client.call('/v7/vote-check?external_id=player', { headers });
          const { status } = await answer.catch(() => ({ status: 0 }));
          if (isVote) counts.votes += 1;
          const isFine = isVote ? status === 303 : status === 200 || status === 429;
          if (!isFine) {
            counts.failed += 1;
            statuses.set(status, (statuses.get(status) ?? 0) + 1);
          }
        },
      );
      isOver = true;
      await restarting;
      client.close();
      for (const server of servers) findings.expect((await server.stop()) === 0, 'exit code was not 0');
      // nginx retries a request if the connection was refused, and any GET; an interrupted form fails.
      const interrupted = nginx.upstreamErrors().filter((line) => !line.includes('Connection refused'));
      counts.interrupted = interrupted.length;
      findings.expect(
        counts.failed === 0,
        `failed: ${JSON.stringify([...statuses])}\n${interrupted.join('\n')}`,
      );
      return { broken: findings.broken, counts };
    } finally {
      await nginx.stop();
      await issuer.close();
      await site.remove();
    }
  },
};

type Nginx = {
  /** Log lines about requests without a response from a process. */
  upstreamErrors(): string[];
  stop(): Promise<void>;
};

/** The documented configuration, on these ports. */
async function startNginx(port: number, upstreams: readonly number[]): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'votary-rolling-'));
  await loadSelfSigned(readConfig({ VOTARY_DATA_DIR: folder }), Date.now());
  const [first, second] = upstreams;
  const site = (await readFile(CONFIGURATION, 'utf8'))
    .replace(/server \{\n\s*listen 80;[\s\S]*?\n\}\n/, '')
    .replace(/\s*listen \[::\]:443 ssl;/, '')
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace(/ssl_certificate \S+;/, `ssl_certificate ${folder}/tls/cert.pem;`)
    .replace(/ssl_certificate_key \S+;/, `ssl_certificate_key ${folder}/tls/key.pem;`)
    .replace(':8443 max', `:${first} max`)
    .replace(':8444 max', `:${second} max`);
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const paths = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ');
  const file = join(folder, 'nginx.conf');
  const main = `daemon off; master_process off; pid ${folder}/pid; events { worker_connections 512; }`;
  await writeFile(file, `${main} http { access_log off; ${paths} ${site} }`);
  const nginx = spawn('nginx', ['-p', folder, '-c', file, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  nginx.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  await pause(500);
  if (nginx.exitCode !== null) throw new Error(`nginx ended with ${nginx.exitCode}`);
  return {
    upstreamErrors: () => log.split('\n').filter((line) => /\[error\].*upstream/.test(line)),
    stop: async () => {
      const exit = once(nginx, 'exit');
      nginx.kill('SIGTERM');
      await exit;
      await rm(folder, { recursive: true });
    },
  };
}
