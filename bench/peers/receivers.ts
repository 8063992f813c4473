/** Webhook receivers that answer at once, each on its own port. Announces the URLs, separated by spaces. */
import { createServer } from 'node:http';
import { announce, readOptions } from '../servers/protocol.ts';
import { listenAnywhere } from './listen.ts';

export type ReceiversOptions = { count: number };

const { count } = readOptions<ReceiversOptions>();
const urls = await Promise.all(
  Array.from({ length: count }, () =>
    listenAnywhere(
      createServer((request, response) => {
        request.resume().once('end', () => response.writeHead(200, { 'content-length': 0 }).end());
      }),
    ),
  ),
);
announce(urls.join(' '));
