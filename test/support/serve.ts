/**
 * A running `votary serve` of a home, and requests to it over real TLS.
 *
 *   const served = await serve(home);
 *   const { status, body } = await served.get('/v7/vote-check?discord_id=…', key);
 *   assert.equal(await served.stop(), 0);
 */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { readConfig } from '../../src/config.ts';
import { startService } from '../../src/service.ts';
import type { Home } from '../cli/votary.ts';

export type Served = {
  url: string;
  process: ChildProcess;
  /** Everything the process has printed so far. */
  printed(): string;
  untilPrinted(part: string): Promise<void>;
  get(path: string, key?: string): Promise<{ status: number; body: Record<string, unknown> }>;
  /** A page as a browser requests it. */
  page(path: string): Promise<{ status: number; text: string; retryAfter: string | undefined }>;
  /** The exit code of a process that ends by itself. */
  untilExit(): Promise<number | null>;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
};

/** The part of a running service that a client can see. */
export type ServedHere = Pick<Served, 'url' | 'get' | 'page'> & { stop(): Promise<void> };

/** A small part of the real proof of work, which a service prepares when it starts. */
const CHALLENGE_WORK = { keys: 5, memoryKib: 64 };

/**
 * The same service inside the test process, for tests of what it answers: a process takes ten times as long. `serve`
 * is for tests of the process, its output and its signals.
 */
export async function serveHere(
  home: Home,
  options: { isDemo?: boolean; acceptsNewSecret?: boolean } = {},
): Promise<ServedHere> {
  const config = { ...readConfig(home.environment), challengeWork: CHALLENGE_WORK };
  const service = await startService(config, { clock: Date.now, logLevel: 'fatal', ...options });
  assert.equal(await service.ready, true);
  return { url: service.url, ...requestsTo(service.url), stop: service.stop };
}

/** `options` are the options of the command. */
export async function serve(home: Home, ...options: string[]): Promise<Served> {
  const child = home.start('serve', ...options);
  let printed = '';
  const { promise: url, resolve, reject } = Promise.withResolvers<string>();
  const onData = (chunk: Buffer) => {
    printed += chunk;
    const listening = /"url":"([^"]+)"/.exec(printed);
    if (listening?.[1]) resolve(listening[1]);
  };
  const output = child.stdout;
  assert.ok(output && child.stderr);
  output.on('data', onData);
  child.stderr.on('data', onData);
  child.once('exit', () => reject(new Error(`ended after printing: ${printed}`)));
  const address = await url;
  const untilExit = async () => {
    // Also waits for its last output.
    const [code] = await once(child, 'close');
    return code;
  };
  return {
    url: address,
    process: child,
    printed: () => printed,
    untilPrinted: async (part) => {
      while (!printed.includes(part)) await once(output, 'data');
    },
    ...requestsTo(address),
    untilExit,
    stop: (signal = 'SIGTERM') => {
      const exit = untilExit();
      child.kill(signal);
      return exit;
    },
  };
}

function requestsTo(address: string): Pick<Served, 'get' | 'page'> {
  // One connection per request, so that none is left open to a process that a test stops.
  const agent = new Agent({ keepAlive: false, rejectUnauthorized: false });
  return {
    get: (path, key) => get(address + path, key, agent),
    page: (path) => getPage(address + path, agent),
  };
}

async function get(address: string, key: string | undefined, agent: Agent): ReturnType<Served['get']> {
  const call = request(address, { agent, headers: key ? { authorization: `Bearer ${key}` } : {} });
  call.end();
  const [response] = await once(call, 'response');
  const content = await text(response);
  assert.ok(response.statusCode);
  return { status: response.statusCode, body: content ? JSON.parse(content) : {} };
}

async function getPage(address: string, agent: Agent): ReturnType<Served['page']> {
  const call = request(address, { agent, headers: { accept: 'text/html' } });
  call.end();
  const [response] = await once(call, 'response');
  const { statusCode: status, headers } = response;
  return { status, text: await text(response), retryAfter: headers['retry-after'] };
}
