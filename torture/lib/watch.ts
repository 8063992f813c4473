/** Asks a server again and again while its database is harmed, and judges every answer by the contract. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, type Client, newClient } from './client.ts';
import type { Findings } from './promise.ts';

export type Watch = {
  /** Answers by status, since the beginning. */
  statuses: Record<string, number>;
  /** Milliseconds until the first 200, from now. */
  untilWell(): Promise<number>;
  /** Resolves when a request has failed with 500, from now. */
  untilFailing(): Promise<void>;
  stop(): Promise<void>;
};

const WORKERS = 4;
const PATIENCE_MS = 30_000;

export function watch(url: string, keys: readonly string[], findings: Findings): Watch {
  const client = newClient(url);
  const statuses: Record<string, number> = {};
  let isOver = false;
  let asked = 0;
  const worker = async () => {
    while (!isOver) {
      asked += 1;
      const answer = await ask(client, keys[asked % keys.length] ?? '', asked).catch((error: unknown) => {
        if (!isOver) findings.expect(false, `no answer: ${String(error)}`);
        return undefined;
      });
      if (!answer) continue;
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      judge(answer, findings);
      await pause(20);
    }
  };
  const workers = Array.from({ length: WORKERS }, worker);
  const until = async (status: string) => {
    const start = performance.now();
    const seen = statuses[status] ?? 0;
    while ((statuses[status] ?? 0) === seen) {
      if (performance.now() - start > PATIENCE_MS) {
        findings.expect(false, `no answer was ${status} within ${PATIENCE_MS} ms`);
        break;
      }
      await pause(5);
    }
    return Math.round(performance.now() - start);
  };
  return {
    statuses,
    untilWell: () => until('200'),
    untilFailing: async () => void (await until('500')),
    stop: async () => {
      isOver = true;
      await Promise.all(workers);
      client.close();
    },
  };
}

/**
 * As a proxy would ask for many clients: whose key it is cannot be told without the database, and then the client's
 * address is what is limited.
 */
function ask(client: Client, key: string, n: number): Promise<Answer> {
  const headers = {
    'x-api-token': key,
    'x-forwarded-proto': 'https',
    'x-forwarded-for': `10.${n & 255}.${(n >> 8) & 255}.${(n >> 16) & 255}`,
  };
  return client.call('/v7/vote-check?discord_id=200000000000000001', { headers });
}

/** Well, or failed in words; nothing else. */
function judge({ status, text, headers }: Answer, findings: Findings): void {
  const isJson = headers['content-type'] === 'application/json; charset=utf-8';
  const isWell = status === 200 && text.includes('"ok":true');
  const isWorded = status === 500 && text.includes('"error":"INTERNAL_ERROR"');
  findings.expect(isJson && (isWell || isWorded), `an answer was ${status} ${text.slice(0, 200)}`);
}
