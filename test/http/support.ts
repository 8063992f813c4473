import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { ERROR_STATUS } from '../../src/api/errors/responses.ts';
import { type Config, readConfig } from '../../src/config.ts';
import type { RenderError } from '../../src/http/client-errors.ts';

/** The format of the contract, with a message that shows the language. */
export const render: RenderError = (code, locale) => ({
  status: ERROR_STATUS[code],
  body: JSON.stringify({ ok: false, error: code, message: `${code} é ${locale}` }),
});

export async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'votary-ops-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function testConfig(t: TestContext, env: Record<string, string> = {}): Promise<Config> {
  return readConfig({ VOTARY_DATA_DIR: await temporaryFolder(t), ...env });
}

export function portOf(server: { address(): AddressInfo | string | null }): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server does not listen');
  return address.port;
}

/** Sends bytes over plain TCP and returns everything received until the end; rejects on a reset. */
export function exchange(
  port: number,
  bytes: string | Buffer,
  socket: Socket = connect(port, '127.0.0.1'),
): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      received += text;
    });
    socket.on('error', reject);
    socket.on('end', () => resolve(received));
    socket.write(bytes);
  });
}

/** Splits a raw response. */
export function parseAnswer(text: string): { status: number; headers: Record<string, string>; body: string } {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, body: rest.join('\r\n\r\n') };
}
