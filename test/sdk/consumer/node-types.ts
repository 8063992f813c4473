/** Compiled, not run: the handler can be used with each kind of server without a cast. */
import { createServer } from 'node:http';
import { verifyWebhook, webhookHandler } from '@votary/sdk';
import express from 'express';
import fastify from 'fastify';

const handler = webhookHandler({ secret: 'whsec_a', onVote: ({ data }) => data.userId });

createServer(handler);
createServer(async (request) => verifyWebhook(Buffer.from(''), request.headers, 'whsec_a'));
express().post('/webhook', express.raw({ type: 'application/json' }), handler);
fastify().post('/webhook', handler);
