/**
 * The command line with a temporary data directory. Commands run inside the test's process, which is ten times faster
 * than separate processes; `start` runs the real program, for `serve` and for tests that need a process.
 *
 *   const home = await makeHome();
 *   const { code, stdout, stderr } = await home.votary('guild', 'add', GUILD);
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCommandLine } from '../../src/cli/main.ts';
import type { Environment } from '../../src/config/variables.ts';
import type { ReachRule } from '../../src/domain/webhooks/destination.ts';

export const GUILD = '123456789012345678';
export const OTHER_GUILD = '123456789012345679';
export const LAUNCHER = fileURLToPath(new URL('../../bin/votary.js', import.meta.url));

export type Outcome = { code: number | null; stdout: string; stderr: string };

export type Home = {
  dataDir: string;
  /** The variables of its commands. */
  environment: Record<string, string>;
  votary(...args: string[]): Promise<Outcome>;
  /** The same with input on standard input. */
  pipe(input: string, ...args: string[]): Promise<Outcome>;
  /** The JSON output of a command that must succeed. */
  json(...args: string[]): Promise<unknown>;
  /** The process itself, still running. */
  start(...args: string[]): ChildProcess;
  file(name: string, content: string | Uint8Array): Promise<string>;
};

const homes: string[] = [];
const started: ChildProcess[] = [];
after(async () => {
  // Only a failed test leaves one running.
  for (const child of started) child.kill('SIGKILL');
  await Promise.all(homes.map((home) => rm(home, { recursive: true, force: true })));
});

/** `reachesLoopback`: commands that run in the test's process can send webhooks to receivers on this machine. */
export type HomeOptions = { reachesLoopback?: boolean };

export async function makeHome(
  variables: Record<string, string> = {},
  { reachesLoopback = false }: HomeOptions = {},
): Promise<Home> {
  const folder = await mkdtemp(join(tmpdir(), 'votary-cli-'));
  homes.push(folder);
  const dataDir = join(folder, 'data');
  const env = { VOTARY_DATA_DIR: dataDir, ...variables };
  const start = (...args: string[]) => {
    const child = spawn(process.execPath, [LAUNCHER, ...args], { env });
    started.push(child);
    return child;
  };
  const reach = reachesLoopback ? { reach: { allowsLoopback: true } } : {};
  const pipe = (input: string, ...args: string[]) => runHere({ environment: env, ...reach }, input, args);
  const votary = (...args: string[]) => pipe('', ...args);
  return {
    dataDir,
    environment: env,
    start,
    pipe,
    votary,
    json: async (...args) => parseOnlyDocument(await votary(...args, '--json')),
    file: async (name, content) => {
      await writeFile(join(folder, name), content);
      return join(folder, name);
    },
  };
}

type Setting = { environment: Environment; reach?: ReachRule };

async function runHere(setting: Setting, input: string, args: string[]): Promise<Outcome> {
  const [stdin, stdout, stderr] = [Readable.from([Buffer.from(input)]), new PassThrough(), new PassThrough()];
  const printed = Promise.all([text(stdout), text(stderr)]);
  const code = await runCommandLine(args, { ...setting, clock: Date.now, stdin, stdout, stderr });
  stdout.end();
  stderr.end();
  const [out, err] = await printed;
  return { code, stdout: out, stderr: err };
}

/** A home that already contains `GUILD`. */
export async function makeHomeWithGuild(options?: HomeOptions): Promise<Home> {
  const home = await makeHome({}, options);
  assertDone(await home.votary('guild', 'add', GUILD));
  return home;
}

export async function finish(child: ChildProcess, input = ''): Promise<Outcome> {
  const { stdin, stdout, stderr } = child;
  assert.ok(stdin && stdout && stderr);
  // A command that fails early closes its end while we are still writing.
  stdin.on('error', () => {});
  stdin.end(input);
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [code, out, err] = await Promise.all([exit, text(stdout), text(stderr)]);
  return { code, stdout: out, stderr: err };
}

function parseOnlyDocument(outcome: Outcome): unknown {
  assertDone(outcome);
  return JSON.parse(outcome.stdout);
}

export function assertDone({ code, stderr }: Outcome): void {
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
}

/** Exit code 1, one line that says what happened, nothing on stdout, no stack trace. */
export function assertFailed({ code, stdout, stderr }: Outcome, expected: RegExp): void {
  assert.match(stderr, expected);
  assert.match(stderr, /^votary: [^\n]+\n$/);
  assert.doesNotMatch(stderr, /\n\s+at /);
  assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
}

/** Exit code 2, an explanation on stderr, nothing on stdout. */
export function assertBadUsage({ code, stdout, stderr }: Outcome, expected: RegExp): void {
  assert.match(stderr, expected);
  assert.doesNotMatch(stderr, /\n\s+at /);
  assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
}

export type VoteFields = {
  guild_id?: string;
  user_id?: unknown;
  timestamp?: string;
  external_id?: string;
  is_doubled?: boolean;
  claimed_at?: string;
};

/** A line as `votes export` writes it. */
export function voteLine(fields: VoteFields = {}): string {
  const { guild_id, user_id, timestamp, external_id, is_doubled, claimed_at } = fields;
  return JSON.stringify({
    guild_id: guild_id ?? GUILD,
    user_id: user_id ?? '200000000000000001',
    timestamp: timestamp ?? '2026-01-31T18:00:00.000Z',
    external_id,
    is_doubled: is_doubled ?? false,
    claimed_at,
  });
}
