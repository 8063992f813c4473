/**
 * A proxy in front of a running service that loses the response to the first claim: the service has handled the request,
 * and the program does not know it.
 *
 *   const proxy = await startLossyProxy(t, live.url);
 *   const env = environment(proxy.url, community.key, proxy.certificate);
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, request as startRequest } from 'node:https';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { portOf, temporaryFolder } from '../http/support.ts';
import { trustedCertificate } from '../sdk/support/local-service.ts';
import { write } from './programs.ts';

type LossyProxy = {
  url: string;
  certificate: string;
  /** The `Idempotency-Key` of every claim so far, in order; the first response was lost. */
  keys(): (string | undefined)[];
};

/** `isClaim` decides by method and path; by default it is `POST /v7/guild/claims`. */
export async function startLossyProxy(
  t: TestContext,
  target: string,
  isClaim: (method: string, path: string) => boolean = isV7Claim,
): Promise<LossyProxy> {
  const keys: (string | undefined)[] = [];
  const agent = new Agent({ rejectUnauthorized: false });
  const server = createServer(trustedCertificate, (request, response) => {
    const { method = '', url = '', headers } = request;
    const isLost = isClaim(method, url) && keys.length === 0;
    if (isClaim(method, url)) keys.push(headers['idempotency-key']?.toString());
    const forwarded = startRequest(target + url, {
      method,
      agent,
      headers: { ...headers, host: new URL(target).host },
    });
    // A program that is stopped also ends its long request.
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    request.pipe(forwarded);
    forwarded.on('response', (answer) => {
      if (!isLost) return void answer.pipe(response.writeHead(answer.statusCode ?? 0, answer.headers));
      assert.equal(answer.statusCode, 200);
      return answer.resume().on('end', () => response.destroy());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
    agent.destroy();
  });
  const folder = await temporaryFolder(t);
  await write(folder, 'cert.pem', trustedCertificate.cert);
  return {
    url: `https://127.0.0.1:${portOf(server)}`,
    certificate: join(folder, 'cert.pem'),
    keys: () => keys,
  };
}

function isV7Claim(method: string, path: string): boolean {
  return method === 'POST' && path.startsWith('/v7/guild/claims?');
}

/** The lost claim was repeated with its key, and later claims have others. */
export function assertRepeated({ keys }: LossyProxy): void {
  const [lost, repeated, ...later] = keys();
  assert.ok(lost, 'the claim has no Idempotency-Key');
  assert.equal(repeated, lost);
  assert.ok(!later.includes(lost), 'a later claim has the same Idempotency-Key');
}
