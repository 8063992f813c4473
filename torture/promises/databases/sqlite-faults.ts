import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { type Answer, isWordedPage } from '../../lib/client.ts';
import { Findings, type Trial, type TrialContext } from '../../lib/promise.ts';
import { makeSite } from '../../lib/site.ts';
import { makeSmallDisk, type SmallDisk } from './small-disk.ts';
import { tryReadOnlyDisk, tryReadOnlyFile } from './sqlite-read-only.ts';
import { isReady, pathOf, read, type Scene, vote, withScene } from './sqlite-scene.ts';

/** The maximum time a vote waits for another program, plus a margin for a busy machine. */
const VOTE_PATIENCE_MS = 20_000;

export const sqliteFaultsTrial: Trial = {
  name: 'sqlite-faults',
  promise:
    'A locked, full or read-only SQLite file causes clear errors and no corruption, and the service recovers afterwards.',
  async run({ say }: TrialContext) {
    const findings = new Findings();
    const locked = await withScene(await makeSite('sqlite'), findings, tryLocked);
    say(`locked: ${JSON.stringify(locked)}`);
    const readOnlyFile = await tryReadOnlyFile(findings);
    say(`read-only file: ${JSON.stringify(readOnlyFile)}`);
    const disk = await makeSmallDisk();
    findings.expect(
      disk !== undefined,
      'a full and a read-only disk were not tried: only root may mount one',
    );
    const onDisk = disk ? await trySmallDisk(disk, findings) : { harms: 0, votes: 0 };
    say(`full and read-only disk: ${JSON.stringify(onDisk)}`);
    return {
      broken: findings.broken,
      counts: {
        ...locked,
        ...readOnlyFile,
        ...onDisk,
        harms: locked.harms + readOnlyFile.harms + onDisk.harms,
        votes: locked.votes + readOnlyFile.votes + onDisk.votes,
        corrupted: findings.broken.filter((line) => line.includes('integrity')).length,
      },
    };
  },
};

async function trySmallDisk(disk: SmallDisk, findings: Findings) {
  try {
    const full = await withScene(disk.site, findings, (scene) => tryFullDisk(scene, disk));
    return { ...full, ...(await tryReadOnlyDisk(disk, findings)), harms: 2 };
  } finally {
    await disk.remove();
  }
}

/** Another program writes: votes wait a short time, fail after a long one, and reads continue. */
async function tryLocked(scene: Scene) {
  const { site, accepted, findings } = scene;
  const holder = new Database(pathOf(site));
  holder.exec('BEGIN IMMEDIATE');
  const patient = Array.from({ length: 10 }, () => vote(scene));
  const reads = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const start = performance.now();
      const { status } = await read(scene);
      findings.expect(status === 200, `a read got ${status} while another program wrote`);
      return performance.now() - start;
    }),
  );
  holder.exec('ROLLBACK');
  for (const { status } of await Promise.all(patient))
    findings.expect(status === 303, `a vote that waited got ${status}`);

  holder.exec('BEGIN IMMEDIATE');
  const start = performance.now();
  const refused = await vote(scene);
  const waitedMs = Math.round(performance.now() - start);
  holder.exec('ROLLBACK');
  holder.close();
  findings.expect(
    isWordedPage(refused),
    `a vote that could not be kept got ${refused.status} ${refused.text.slice(0, 100)}`,
  );
  findings.expect(waitedMs < VOTE_PATIENCE_MS, `a vote waited ${waitedMs} ms`);
  findings.expect((await vote(scene)).status === 303, 'no vote was accepted after the lock was gone');
  return {
    harms: 2,
    votes: accepted.size,
    waited_votes: patient.length,
    slowest_read_ms: Math.round(Math.max(...reads)),
    gave_up_after_ms: waitedMs,
  };
}

async function tryFullDisk(scene: Scene, disk: SmallDisk) {
  const { accepted, findings } = scene;
  const filler = join(disk.folder, 'filler');
  await writeFile(filler, '');
  let size = 4 * 1024 * 1024;
  // Smaller and smaller chunks, until nothing fits.
  for (; size >= 512; size /= 2)
    await writeFile(filler, Buffer.alloc(size), { flag: 'a' }).catch(() => undefined);
  let refused: Answer | undefined;
  let votes = 0;
  for (; votes < 500 && refused === undefined; votes += 1) {
    const answer = await vote(scene);
    if (answer.status !== 303) refused = answer;
  }
  findings.expect(refused !== undefined, 'the disk never was full');
  findings.expect(
    refused === undefined || isWordedPage(refused),
    `a full disk gave ${refused?.status} ${refused?.text.slice(0, 100)}`,
  );
  const { status } = await read(scene);
  findings.expect(status === 200, `reading from a full disk gave ${status}`);
  const unready = await untilUnready(scene);
  findings.expect(unready === 503, `/readyz was ${unready} on a full disk`);
  await rm(filler);
  await pause(100);
  const ready = (await isReady(scene)).status;
  findings.expect(ready === 200, `/readyz was ${ready} after there was room again`);
  findings.expect((await vote(scene)).status === 303, 'no vote was accepted after there was room again');
  return { votes_until_full: votes, votes: accepted.size };
}

/** A vote needs more space than the row that a probe writes, so a few probes may still fit. One is written per second. */
async function untilUnready(scene: Scene): Promise<number> {
  for (let probes = 0; probes < 5; probes += 1) {
    const { status } = await isReady(scene);
    if (status !== 200) return status;
    await pause(1100);
  }
  return 200;
}
