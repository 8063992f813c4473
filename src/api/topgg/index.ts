/**
 * The API of top.gg, for programs written for it: a thin layer over the functions that v7 uses, with the same keys, counter,
 * limit and Premium rule. docs/guides/topgg.md describes it.
 *
 *   /compat/topgg/api/bots/check      v0: the key itself in `Authorization`
 *   /compat/topgg/api/v1/projects     v1: the key as a Bearer token
 */
import type { FastifyInstance } from 'fastify';
import type { V7Deps } from '../v7/endpoint.ts';
import { topggV0 } from './v0.ts';
import { topggV1 } from './v1.ts';

export const TOPGG_PREFIX = '/compat/topgg/api';

export async function topgg(app: FastifyInstance, deps: V7Deps): Promise<void> {
  app.decorateRequest('caller', null);
  app.register((v0) => topggV0(v0, deps), { prefix: '' });
  app.register((v1) => topggV1(v1, deps), { prefix: '/v1' });
}
