/**
 * The three clients behind one interface: each runs in a separate process that reads calls as JSON lines.
 *
 *   const client = startClient(CLIENTS.python, certificate);
 *   const outcome = await client.call({ url, key }, 'claim', { external_id: 'Steve_42' });
 *   await client.stop();
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { requirement } from '../support/requirement.ts';

export const ROOT = join(import.meta.dirname, '../..');
const DRIVERS = join(import.meta.dirname, 'drivers');

/** Resolves `@votary/sdk` to its sources; the packed package is tested in test/sdk/packed.ci.test.ts. */
const SDK_FROM_SOURCE = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module';
const url = ${JSON.stringify(pathToFileURL(join(ROOT, 'sdk/src/index.ts')).href)};
registerHooks({ resolve: (name, context, next) => (name === '@votary/sdk' ? { url, shortCircuit: true } : next(name, context)) });
`)}`;

export type Client = { name: string; skip: string | false; start(certificate: string): ChildProcess };

export const CLIENTS: Client[] = [
  {
    name: 'the JavaScript SDK',
    skip: false,
    start: (certificate) =>
      spawn(process.execPath, ['--import', SDK_FROM_SOURCE, join(DRIVERS, 'sdk.mjs')], {
        env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate },
      }),
  },
  {
    name: 'the Python client',
    skip: requirement('python'),
    start: (certificate) =>
      spawn('python3', [join(DRIVERS, 'client.py')], {
        env: {
          ...process.env,
          SSL_CERT_FILE: certificate,
          PYTHONPATH: join(ROOT, 'clients/python'),
          PYTHONDONTWRITEBYTECODE: '1',
        },
      }),
  },
  {
    name: 'the PHP client',
    skip: requirement('php'),
    start: (certificate) =>
      spawn('php', [
        '-d',
        `curl.cainfo=${certificate}`,
        join(DRIVERS, 'client.php'),
        join(ROOT, 'clients/php/Votary.php'),
      ]),
  },
];

export type Access = { url: string; key: string; locale?: string };
export type Outcome = { result?: unknown; error?: { code: string; message: string; status?: number | null } };

export type RunningClient = {
  call(access: Access, name: string, given: unknown): Promise<Outcome>;
  stop(): Promise<void>;
};

export function startClient(client: Client, certificate: string): RunningClient {
  const child = client.start(certificate);
  const { stdin, stdout, stderr } = child;
  assert.ok(stdin && stdout && stderr);
  let printed = '';
  stderr.on('data', (chunk) => {
    printed += chunk;
  });
  const answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return {
    call: async (access, name, given) => {
      stdin.write(`${JSON.stringify({ client: access, call: name, arguments: given })}\n`);
      const { value, done } = await answers.next();
      assert.ok(!done, `the client ended: ${printed}`);
      return JSON.parse(value);
    },
    stop: async () => {
      const exit = once(child, 'exit');
      stdin.end();
      await exit;
    },
  };
}
