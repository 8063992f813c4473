import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import fastify from 'fastify';
import { ignoreExpectations } from '../../src/http/client-errors.ts';
import { validateHost } from '../../src/http/host.ts';
import { exchange, parseAnswer, portOf } from './support.ts';

test("a request without Host is rejected by our error handler, not by Node's default response", async (t) => {
  const app = fastify({ serverFactory: (handler) => createServer({ requireHostHeader: false }, handler) });
  app.register(validateHost);
  app.setErrorHandler((error, _request, reply) => reply.send({ error: String(error) }));
  app.get('/', () => ({ ok: true }));
  ignoreExpectations(app.server);
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => app.close());
  const port = portOf(app.server);
  const bodyOf = async (head: string) =>
    parseAnswer(await exchange(port, `${head}Connection: close\r\n\r\n`)).body;
  assert.match(await bodyOf('GET / HTTP/1.1\r\n'), /BAD_REQUEST/);
  assert.equal(await bodyOf('GET / HTTP/1.0\r\n'), '{"ok":true}');
  assert.equal(await bodyOf('GET / HTTP/1.1\r\nHost: x\r\nExpect: nonsense\r\n'), '{"ok":true}');
});
