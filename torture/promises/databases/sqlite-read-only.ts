/** A database that can be read but not written: because of its file permissions, or its disk. */
import { chmod, chown, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isWordedPage } from '../../lib/client.ts';
import {
  type CommandResult,
  findUnprivileged,
  type Owner,
  runVotary,
  runVotaryAs,
} from '../../lib/processes.ts';
import type { Findings } from '../../lib/promise.ts';
import { makeSite, type Site } from '../../lib/site.ts';
import type { SmallDisk } from './small-disk.ts';
import {
  enter,
  isReady,
  judgeFile,
  leave,
  pathOf,
  read,
  type Scene,
  vote,
  withScene,
} from './sqlite-scene.ts';

const VOTES_WHILE_READ_ONLY = 5;
const ADD_GUILD = ['guild', 'add', '300000000000000000'];

export async function tryReadOnlyFile(findings: Findings) {
  const owner = findUnprivileged();
  findings.expect(owner !== undefined, 'a read-only file was not tried: "nobody" cannot reach the program');
  if (!owner) return { harms: 0, votes: 0 };
  const site = await makeSite('sqlite');
  return withScene(site, findings, (scene) => takeRightsAway(scene, owner), {
    owner,
    prepare: () => handOver(site, owner),
  });
}

/**
 * While a server is running, and before it starts. A running server keeps the write access it had when it opened the
 * file: its votes are then stored, or rejected with a message. A server that starts later can only read.
 */
async function takeRightsAway(scene: Scene, owner: Owner) {
  const { site, accepted, findings } = scene;
  findings.expect((await vote(scene)).status === 303, 'no vote was accepted before');
  await setRights(site, { file: 0o444, folder: 0o555 });
  const keptOpen = await useReadOnly(scene);
  await leave(scene);
  const result = await runVotaryAs(owner, site.env, ...ADD_GUILD);
  findings.expect(isWordedFailure(result), describe('file', ADD_GUILD, result));
  Object.assign(scene, await enter(site, owner));
  const refused = VOTES_WHILE_READ_ONLY - (await useReadOnly(scene));
  findings.expect(
    refused === VOTES_WHILE_READ_ONLY,
    `only ${refused} votes were refused by a read-only file`,
  );
  await leave(scene);
  await setRights(site, { file: 0o600, folder: 0o700 });
  await judgeFile(scene);
  await handOver(site, owner);
  Object.assign(scene, await enter(site, owner));
  const { status } = await vote(scene);
  findings.expect(status === 303, `a vote got ${status} when the file could be written again`);
  return { harms: 2, votes: accepted.size, read_only_kept: keptOpen, read_only_refused: refused };
}

/** Reads and votes; returns the number of stored votes. All others must be rejected with a message. */
async function useReadOnly(scene: Scene): Promise<number> {
  const { findings } = scene;
  let kept = 0;
  for (let i = 0; i < VOTES_WHILE_READ_ONLY; i += 1) {
    const answer = await vote(scene);
    if (answer.status === 303) kept += 1;
    else
      findings.expect(
        isWordedPage(answer),
        `a vote on a read-only file got ${answer.status} ${answer.text.slice(0, 100)}`,
      );
  }
  const { status, text } = await read(scene);
  findings.expect(status === 200, `a read of a read-only file got ${status} ${text.slice(0, 100)}`);
  if (kept === 0) {
    const ready = await isReady(scene);
    findings.expect(ready.status === 503, `/readyz was ${ready.status} for a read-only file`);
  }
  return kept;
}

async function handOver(site: Site, { uid, gid }: Owner): Promise<void> {
  if (uid === undefined || gid === undefined) return;
  const folder = dirname(pathOf(site));
  const files = (await readdir(folder)).map((name) => join(folder, name));
  await Promise.all([site.folder, folder, ...files].map((path) => chown(path, uid, gid)));
}

/** The files of the database, with its log, and their folder. */
async function setRights(site: Site, rights: { file: number; folder: number }): Promise<void> {
  const path = pathOf(site);
  const folder = dirname(path);
  const names = (await readdir(folder)).filter((name) => join(folder, name).startsWith(path));
  await Promise.all(names.map((name) => chmod(join(folder, name), rights.file)));
  await chmod(folder, rights.folder);
}

/** Neither a server nor a command works without write access: each says so in one line. */
export async function tryReadOnlyDisk(disk: SmallDisk, findings: Findings) {
  disk.remount('ro');
  const copy = join(tmpdir(), 'votary-never-written');
  const commands = [ADD_GUILD, ['serve'], ['backup', copy]];
  for (const command of commands) {
    const result = await runVotary(disk.site.env, ...command);
    const isFine = isWordedFailure(result) || (command[0] === 'backup' && result.code === 0);
    findings.expect(isFine, describe('disk', command, result));
  }
  await Promise.all(['', '.secret'].map((ending) => rm(`${copy}${ending}`, { force: true })));
  disk.remount('rw');
  const { code } = await runVotary(disk.site.env, 'guild', 'list');
  findings.expect(code === 0, 'the database did not open when it could be written again');
  return { read_only_disk_commands: commands.length };
}

function isWordedFailure({ code, stderr }: CommandResult): boolean {
  return code === 1 && /^votary: [^\n]+\n$/.test(stderr);
}

function describe(
  what: 'file' | 'disk',
  command: readonly string[],
  { code, stderr }: CommandResult,
): string {
  return `${command.join(' ')} on a read-only ${what}: exit ${code}, ${stderr}`;
}
