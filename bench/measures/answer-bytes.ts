import { readFileSync } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import type { PreparedRequest } from '../load/requests.ts';

export type AnswerBytes = { headers: Record<string, string>; body: string };

/** Node writes these headers itself, for Votary and the peers alike. */
const WRITTEN_BY_NODE = ['date', 'connection', 'keep-alive'];

/** The response to the first request of a file, so that peers can send the same bytes. */
export async function captureAnswer(url: string, requestsFile: string): Promise<AnswerBytes> {
  return sendOnce(url, firstRequest(requestsFile));
}

export function firstRequest(requestsFile: string): PreparedRequest {
  const [first]: PreparedRequest[] = JSON.parse(readFileSync(requestsFile, 'utf8'));
  if (!first) throw new Error(`${requestsFile} holds no request`);
  return first;
}

export async function sendOnce(url: string, { path, headers }: PreparedRequest): Promise<AnswerBytes> {
  const send = url.startsWith('https:') ? requestHttps : requestHttp;
  const { promise, resolve, reject } = Promise.withResolvers<AnswerBytes>();
  const call = send(url + path, { headers, rejectUnauthorized: false }, async (response) => {
    const kept = Object.entries(response.headers).filter(([name]) => !WRITTEN_BY_NODE.includes(name));
    const body = await text(response);
    if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}: ${body}`));
    resolve({ headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])), body });
  });
  call.on('error', reject).end();
  return promise;
}
