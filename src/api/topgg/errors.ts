/** Errors as the clients of top.gg expect them. Codes, statuses and messages are those of v7. */
import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { apiMessages } from '../errors/messages.ts';
import { NOT_FOUND_STATUS, prepareError } from '../errors/responses.ts';
import { requestLocale } from '../request-locale.ts';

/** `message` is what topggpy shows; `retry-after` is in the body of top.gg, too. */
export function sendErrorV0(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { error: code, message, retry_after } = prepareError(error, request, reply);
  const wait = retry_after === undefined ? {} : { 'retry-after': retry_after };
  return reply.send({ error: code, message, ...wait });
}

/** An unknown path. Clients read the body of a 404 too. */
export function sendNotFoundV0(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const message = apiMessages[requestLocale(request)].topgg.notFound;
  return reply.code(NOT_FOUND_STATUS).send({ error: 'NOT_FOUND', message });
}

export function sendErrorV1(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { message } = prepareError(error, request, reply);
  return sendProblem(reply, reply.statusCode, message);
}

export function sendNotFoundV1(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendProblem(reply, NOT_FOUND_STATUS, apiMessages[requestLocale(request)].topgg.notFound);
}

/** How v1 says that a user has not voted. */
export function sendNoVote(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendProblem(reply, NOT_FOUND_STATUS, apiMessages[requestLocale(request)].topgg.noVote);
}

/** Problem details (RFC 9457). Sent as bytes, because Fastify adds a charset to the type of a text. */
function sendProblem(reply: FastifyReply, status: number, detail: string): FastifyReply {
  const problem = { type: 'about:blank', title: STATUS_CODES[status], status, detail };
  return reply
    .code(status)
    .type('application/problem+json')
    .send(Buffer.from(JSON.stringify(problem)));
}
