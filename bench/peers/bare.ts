/** The minimum for a Node server: the same bytes for every request, over HTTP or HTTPS. */
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { announce, readOptions } from '../servers/protocol.ts';
import { listenAnywhere } from './listen.ts';

export type BareOptions = {
  headers: Record<string, string>;
  body: string;
  tls: { cert: string; key: string } | null;
};

const { headers, body, tls } = readOptions<BareOptions>();

const answer: RequestListener = (_request, response) => {
  response.writeHead(200, headers);
  response.end(body);
};

const server = tls ? createSecureServer(tls, answer) : createServer(answer);
announce(await listenAnywhere(server, tls ? 'https' : 'http'));
