/**
 * A simulated browser: keeps cookies, submits forms, and does not follow redirects by itself.
 *
 *   const visitor = newVisitor(app);
 *   await visitor.signIn('Alex');
 *   const answer = await visitor.submit(await visitor.get('/guild/…/vote'), '/guild/…/vote');
 */
import assert from 'node:assert/strict';
import type { FastifyInstance } from 'fastify';
import { DEMO_PEOPLE } from '../../src/site/sign-in/demo-sign-in.ts';

export type PageAnswer = { status: number; text: string; location: string | undefined; type: string };

export type Visitor = {
  readonly cookies: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<PageAnswer>;
  /** Submits a form with the token of its page. */
  submit(page: PageAnswer, path: string, fields?: Record<string, string>): Promise<PageAnswer>;
  post(path: string, fields: Record<string, string>): Promise<PageAnswer>;
  /** Submits a form with files. */
  upload(
    page: PageAnswer,
    path: string,
    fields: Record<string, string>,
    files: Record<string, Buffer>,
    headers?: Record<string, string>,
  ): Promise<PageAnswer>;
  /** Posts a body of any type. */
  send(path: string, type: string, body: string): Promise<PageAnswer>;
  /** As one of the demo users; returns the user id. */
  signIn(name: string): Promise<string>;
};

export function newVisitor(app: FastifyInstance, ownHeaders: Record<string, string> = {}): Visitor {
  const cookies = new Map<string, string>();

  async function send(
    method: 'GET' | 'POST',
    path: string,
    headers: Record<string, string>,
    payload?: string | Buffer,
  ) {
    const answer = await app.inject({
      method,
      url: path,
      headers: { accept: 'text/html', ...ownHeaders, ...headers },
      cookies: Object.fromEntries(cookies),
      ...(payload === undefined ? {} : { payload }),
    });
    for (const { name, value } of answer.cookies) cookies.set(name, value);
    return {
      status: answer.statusCode,
      text: answer.payload,
      location: answer.headers.location,
      type: String(answer.headers['content-type']),
    };
  }

  const visitor: Visitor = {
    cookies,
    get: (path, headers = {}) => send('GET', path, headers),
    post: (path, fields) =>
      send(
        'POST',
        path,
        { 'content-type': 'application/x-www-form-urlencoded' },
        new URLSearchParams(fields).toString(),
      ),
    submit: (page, path, fields = {}) => visitor.post(path, { ...fields, _csrf: tokenOf(page) }),
    send: (path, type, body) => send('POST', path, { 'content-type': type }, body),
    async upload(page, path, fields, files, headers = {}) {
      const form = new FormData();
      for (const [name, text] of Object.entries({ ...fields, _csrf: tokenOf(page) })) form.append(name, text);
      for (const [name, file] of Object.entries(files))
        form.append(name, new Blob([new Uint8Array(file)]), 'file');
      const encoded = new Response(form);
      const type = { 'content-type': encoded.headers.get('content-type') ?? '' };
      return send('POST', path, { ...type, ...headers }, Buffer.from(await encoded.arrayBuffer()));
    },
    async signIn(name) {
      const person = DEMO_PEOPLE.find((known) => known.name === name);
      assert.ok(person, `no demo person is called ${name}`);
      const page = await visitor.get('/sign-in');
      const answer = await visitor.submit(page, '/sign-in', { person: person.userId, back: '/' });
      assert.equal(answer.status, 303);
      return person.userId;
    },
  };
  return visitor;
}

export function tokenOf({ text }: PageAnswer): string {
  const token = /name="_csrf" value="([^"]+)"/.exec(text)?.[1];
  assert.ok(token, 'the page has no form that changes anything');
  return token;
}
