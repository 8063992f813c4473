/** What the responses of v7 and of the management API have in common. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NOT_FOUND_STATUS } from './errors/responses.ts';
import { requestLocale } from './request-locale.ts';

export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('cache-control', 'no-store');
  reply.header('content-language', requestLocale(request));
}

/** An unknown path. According to the contract, such a 404 never has an error body. */
export async function handleNotFound(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  await reply.code(NOT_FOUND_STATUS).send();
}
