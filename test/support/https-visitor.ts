/**
 * A simulated browser for a running server, over real TLS: keeps cookies, submits forms, and does not follow redirects.
 *
 *   const visitor = newHttpsVisitor(served.url);
 *   const page = await visitor.get('/sign-in');
 *   await visitor.post('/sign-in', { _csrf: tokenIn(page), person: '…' });
 */
import { once } from 'node:events';
import type { OutgoingHttpHeaders } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';

export type HttpsAnswer = { status: number; text: string; headers: Record<string, unknown> };

export type HttpsVisitor = {
  readonly cookies: Map<string, string>;
  get(path: string, headers?: OutgoingHttpHeaders): Promise<HttpsAnswer>;
  post(path: string, fields: Record<string, string>, headers?: OutgoingHttpHeaders): Promise<HttpsAnswer>;
  send(method: string, path: string, headers?: OutgoingHttpHeaders, body?: string): Promise<HttpsAnswer>;
  close(): void;
};

export function newHttpsVisitor(url: string): HttpsVisitor {
  const agent = new Agent({ keepAlive: true, maxSockets: 4, rejectUnauthorized: false });
  const cookies = new Map<string, string>();

  const send: HttpsVisitor['send'] = async (method, path, headers = {}, body = '') => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const call = request(url + path, { method, agent, headers: { ...(cookie && { cookie }), ...headers } });
    call.end(body);
    const [response] = await once(call, 'response');
    for (const line of response.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return { status: response.statusCode ?? 0, text: await text(response), headers: response.headers };
  };

  return {
    cookies,
    send,
    get: (path, headers) => send('GET', path, headers),
    post: (path, fields, headers) =>
      send(
        'POST',
        path,
        { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        new URLSearchParams(fields).toString(),
      ),
    close: () => agent.destroy(),
  };
}

export function tokenIn({ text: page }: HttpsAnswer): string {
  return /name="_csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
}
