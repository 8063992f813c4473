/**
 * The management API, in the order a request passes it:
 *
 *   common headers -> identify (whose token? counted) -> limit -> require (token, then scope)
 *     -> read the body -> validate -> handle
 *
 * Every route is registered in one scope that authenticates (access.ts), so none can be used without a token. Changes
 * are made by src/moderation and src/voting, like those of pages and commands.
 */
import type { FastifyInstance } from 'fastify';
import { handleNotFound } from '../common-responses.ts';
import { refuseOtherMethods } from '../methods.ts';
import { collectRoutes, OPENAPI_PATH, openApiRoute } from '../openapi/document.ts';
import { READ } from '../v7/endpoint.ts';
import { countTokens, requireTokens } from './access.ts';
import { ban, bans } from './bans.ts';
import { acceptJson, compileManageValidator } from './body.ts';
import { MANAGE_API } from './documented-api.ts';
import { type ManageDeps, type ManageEndpoint, typedInstance } from './endpoint.ts';
import { guild } from './guild.ts';
import { guildKey } from './guild-key.ts';
import { guilds } from './guilds.ts';
import { user } from './users.ts';
import { voidBatch, voids } from './voids.ts';
import { votes } from './votes.ts';

export const MANAGE_PREFIX = '/manage/v1';

const ENDPOINTS: ManageEndpoint[] = [guilds, guild, guildKey, votes, bans, ban, voids, voidBatch, user];

export async function manage(app: FastifyInstance, deps: ManageDeps): Promise<void> {
  app.decorateRequest('tokenCaller', null);
  const routes = collectRoutes(app);

  app.register(async (counted) => {
    countTokens(counted, deps);
    // Unknown paths and the document are counted, but need no token.
    counted.setNotFoundHandler(handleNotFound);
    openApiRoute(counted, routes, MANAGE_API, deps);
    refuseOtherMethods(counted, OPENAPI_PATH, READ);
    for (const { path, methods } of ENDPOINTS) refuseOtherMethods(counted, path, methods);
  });
  app.register(async (guarded) => {
    countTokens(guarded, deps);
    requireTokens(guarded, deps);
    acceptJson(guarded);
    guarded.setValidatorCompiler(compileManageValidator);
    for (const endpoint of ENDPOINTS) endpoint.register(typedInstance(guarded), deps);
  });
}
