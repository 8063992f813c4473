import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../../test/support/free-port.ts';
import { type Client, inParallel, newClient } from '../../lib/client.ts';
import { type Launch, spawnVotary } from '../../lib/processes.ts';
import { Findings, type Scale, type Trial, type TrialContext } from '../../lib/promise.ts';
import { addGuilds, makeSite } from '../../lib/site.ts';
import { watchMetrics } from '../../lib/watch-metrics.ts';
import { makeSmallDisk, type SmallDisk } from './small-disk.ts';

const KEYS = 400;
const IN_PARALLEL = 16;
const STOP_LIMIT_MS = 5000;
/** Enough for the log of the second half of the requests, which must be complete. */
const DISK_MB = 32;
const DROPPED = 'votary_log_lines_dropped_total';

/** Where the log of a server goes. `during` is called after the first half of the requests. */
type Place = { name: string; launch: Launch; during?: () => Promise<void> };

export const logDiskFullTrial: Trial = {
  name: 'log-disk-full',
  promise:
    'With a full log disk, or a reader that never reads, every request is answered, lost lines are counted, and SIGTERM works.',
  async run({ scale, say }: TrialContext) {
    const findings = new Findings();
    const unread = await tryPlace({ name: 'unread pipe', launch: {} }, scale, findings);
    say(`unread pipe: ${JSON.stringify(unread)}`);
    const device = await tryPlace({ name: '/dev/full', launch: redirect('/dev/full') }, scale, findings);
    say(`/dev/full: ${JSON.stringify(device)}`);
    const disk = await makeSmallDisk(DISK_MB);
    findings.expect(disk !== undefined, 'a full disk was not tried: only root may mount one');
    const full = disk ? await tryDisk(disk, scale, findings) : undefined;
    say(`full disk: ${JSON.stringify(full ?? null)}`);
    return { broken: findings.broken, counts: { unread, device, ...(full ? { disk: full } : {}) } };
  },
};

/** The disk is full at first and then has space again: from then on the log is complete, and reports what was lost. */
async function tryDisk(disk: SmallDisk, scale: Scale, findings: Findings) {
  const [log, ballast] = [join(disk.folder, 'log'), join(disk.folder, 'ballast')];
  try {
    await writeFile(ballast, Buffer.alloc(2 * DISK_MB * 1024 * 1024)).catch(() => undefined);
    const place = { name: 'full disk', launch: redirect(log), during: () => rm(ballast) };
    const counts = await tryPlace(place, scale, findings);
    const lines = (await readFile(log, 'utf8')).split('\n').filter((line) => line !== '');
    const broken = lines.filter((line) => !isJson(line)).length;
    findings.expect(broken <= 1, `${broken} lines of the log are not JSON`);
    findings.expect(
      lines.some((line) => line.includes('log lines were dropped')),
      'the log does not say that lines were dropped',
    );
    findings.expect(
      lines.some((line) => line.includes('"msg":"stopped"')),
      'the log ends before the stop',
    );
    return counts;
  } finally {
    await disk.remove();
  }
}

function redirect(file: string): Launch {
  return { through: ['sh', '-c', `exec "$@" >> ${file}`, 'sh'] };
}

async function tryPlace({ name, launch, during }: Place, scale: Scale, findings: Findings) {
  const site = await makeSite('sqlite');
  const [port, metricsPort] = [await freePort(), await freePort()];
  const env = {
    ...site.env,
    VOTARY_PORT: String(port),
    VOTARY_METRICS_PORT: String(metricsPort),
    VOTARY_LOG_LEVEL: 'info',
  };
  try {
    const keys = await addGuilds(site, KEYS);
    // The output of the child is not read.
    const child = spawnVotary(env, ['serve'], launch);
    const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
    const client = newClient(`https://127.0.0.1:${port}`);
    await untilUp(client);
    const metrics = watchMetrics(metricsPort);
    let answered = await check(client, keys, scale.logRequests / 2);
    await during?.();
    answered += await check(client, keys, scale.logRequests / 2);
    await pause(500);
    const dropped = metrics.value(DROPPED);
    await metrics.stop();
    client.close();
    const start = performance.now();
    child.kill('SIGTERM');
    const code = await Promise.race([exited, pause(STOP_LIMIT_MS, 'still running' as const)]);
    const stopMs = Math.round(performance.now() - start);
    findings.expect(code === 0, `${name}: SIGTERM: ${code}`);
    findings.expect(answered === scale.logRequests, `${name}: ${answered} of ${scale.logRequests} answered`);
    findings.expect(dropped > 0, `${name}: no dropped line was counted`);
    return { requests: scale.logRequests, answered, dropped, stop_ms: stopMs };
  } finally {
    await site.remove();
  }
}

async function untilUp(client: Client): Promise<void> {
  const isUp = () =>
    client.call('/readyz', { timeoutMs: 2000 }).then(
      () => true,
      () => false,
    );
  while (!(await isUp())) await pause(50);
}

/** Long URLs fill the buffers faster. */
async function check(client: Client, keys: readonly string[], requests: number): Promise<number> {
  let [sent, answered] = [0, 0];
  const filler = 'x'.repeat(1500);
  await inParallel(
    IN_PARALLEL,
    () => sent >= requests,
    async () => {
      sent += 1;
      const headers = { authorization: `Bearer ${keys[sent % keys.length]}` };
      const path = `/v7/vote-check?external_id=player&filler=${filler}`;
      const { status } = await client.call(path, { headers, timeoutMs: 5000 }).catch(() => ({ status: 0 }));
      if (status === 200 || status === 429) answered += 1;
    },
  );
  return answered;
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
