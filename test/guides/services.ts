/** The services that the programs of the guides call: the real demo, and one whose responses a test defines. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { on, once } from 'node:events';
import { join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { makeHome } from '../cli/votary.ts';
import { temporaryFolder } from '../http/support.ts';
import { rateLimited, VOTED } from '../sdk/support/bodies.ts';
import {
  KEY,
  makeCertificate,
  type Reply,
  startLocalService,
  trustedCertificate,
} from '../sdk/support/local-service.ts';
import { QUICK_JAVA_TOOL, run, write } from './programs.ts';

export type Demo = { url: string; key: string; user: string; name: string; env: Record<string, string> };

/** `npm start` in a temporary home, stopped after the tests of the file. */
export async function startDemo(): Promise<Demo> {
  const home = await makeHome({ VOTARY_PORT: '0' });
  const service = home.start('serve', '--demo', '--json');
  after(async () => {
    const exit = once(service, 'exit');
    service.kill();
    await exit;
  });
  const { url, demo } = JSON.parse(await firstLine(service));
  const { key, user_id: user, external_id: name } = demo;
  return { url, key, user, name, env: environment(url, key, join(home.dataDir, 'tls/cert.pem')) };
}

/** The variables that the guides use, and how each program is made to trust a certificate. */
export function environment(url: string, key: string, certificate: string): Record<string, string> {
  return {
    VOTARY_URL: url,
    VOTARY_API_KEY: key,
    CURL_CA_BUNDLE: certificate,
    NODE_EXTRA_CA_CERTS: certificate,
    SSL_CERT_FILE: certificate,
    REQUESTS_CA_BUNDLE: certificate,
  };
}

/** A program that keeps running, and what it has printed so far on stdout and stderr. */
export function watch(t: TestContext, child: ChildProcess) {
  let printed = '';
  const arrivals = new EventTarget();
  for (const output of [child.stdout, child.stderr]) {
    output?.setEncoding('utf8').on('data', (chunk) => {
      printed += chunk;
      arrivals.dispatchEvent(new Event('data'));
    });
  }
  const closed = once(child, 'close').then(([code]) => {
    arrivals.dispatchEvent(new Event('data'));
    return code;
  });
  t.after(() => child.kill('SIGKILL'));
  return {
    printed: () => printed,
    /** Resolves to the exit code. */
    closed: (): Promise<number | null> => closed,
    until: async (part: string | RegExp) => {
      while (!(typeof part === 'string' ? printed.includes(part) : part.test(printed))) {
        assert.ok(child.exitCode === null && child.signalCode === null, `ended after printing: ${printed}`);
        await once(arrivals, 'data');
      }
    },
    kill: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

const trustStores = new Map<string, Promise<string>>();

/** Options of `java` for a trust store that is created as described in the curl guide, once per certificate. */
export async function javaTrust(folder: string, certificate: string): Promise<string[]> {
  const store = trustStores.get(certificate) ?? makeTrustStore(folder, certificate);
  trustStores.set(certificate, store);
  return [`-Djavax.net.ssl.trustStore=${await store}`, '-Djavax.net.ssl.trustStorePassword=changeit'];
}

async function makeTrustStore(folder: string, certificate: string): Promise<string> {
  const file = join(folder, `trust-${trustStores.size}.p12`);
  const trust = ['-importcert', '-noprompt', '-alias', 'votary', '-file', certificate];
  const target = ['-keystore', file, '-storepass', 'changeit'];
  const imported = await run('keytool', [...QUICK_JAVA_TOOL, ...trust, ...target], { folder, env: {} });
  assert.equal(imported.code, 0, imported.stderr);
  return file;
}

export async function firstLine(child: ChildProcess): Promise<string> {
  assert.ok(child.stdout);
  let printed = '';
  for await (const [chunk] of on(child.stdout, 'data', { close: ['end'] })) {
    printed += chunk;
    if (printed.includes('\n')) return printed;
  }
  throw new Error(`ended after printing: ${printed}`);
}

type Stub = { env: Record<string, string>; requests(): number; connections(): number; pausesMs(): number[] };

/** Responds to each request with the next reply, and repeats the last one. */
export async function startStub(t: TestContext, ...replies: Reply[]): Promise<Stub> {
  const arrivals: number[] = [];
  const service = await startLocalService((_request, count) => {
    arrivals.push(performance.now());
    return replies[Math.min(count, replies.length) - 1] ?? 'cut';
  });
  const folder = await temporaryFolder(t);
  await write(folder, 'cert.pem', trustedCertificate.cert);
  return {
    env: environment(service.url, KEY, join(folder, 'cert.pem')),
    requests: () => arrivals.length,
    connections: service.connections,
    pausesMs: () => arrivals.slice(1).map((time, index) => time - (arrivals[index] ?? 0)),
  };
}

/** A service whose certificate its clients do not trust. */
export async function startUntrusted(t: TestContext): Promise<Stub> {
  const { env } = await startStub(t, { body: VOTED });
  const service = await startLocalService(() => ({ body: VOTED }), await makeCertificate());
  return {
    env: { ...env, VOTARY_URL: service.url },
    requests: () => service.requests.length,
    connections: service.connections,
    pausesMs: () => [],
  };
}

/** A rate limit that lasts for most of a minute: callers that wait for a result should give up. */
export const LIMITED_FOR_LONG = rateLimited(59);
/** The shortest wait that the service requests. */
export const LIMITED_FOR_A_SECOND = rateLimited(1);
export const VOTE: Reply = { body: VOTED };

/** An address where no server listens. */
export const NOWHERE = 'https://127.0.0.1:1';
