/** The routes of the site. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { VotaryManager } from '@votary/sdk/manage';
import { createBilling } from './billing.ts';
import { createCommunities } from './communities.ts';
import { HttpError, isOwnForm, readForm, redirect, sendFile, sendPage, visitorAddress } from './http.ts';
import { createLiveCounts } from './live-counts.ts';
import { billingPage, communityPage, errorPage, listPage, signInPage } from './pages.ts';
import { createSignIn } from './sign-in.ts';
import { castVote, describeFailure } from './voting.ts';

export type SiteOptions = {
  manager: VotaryManager;
  /** The secret of the webhook endpoint of each community. */
  webhookSecrets: ReadonlyMap<string, string>;
  /** The address of a reverse proxy whose `X-Forwarded-For` is used. */
  trustedProxy?: string | undefined;
};

type Visit = {
  request: IncomingMessage;
  response: ServerResponse;
  /** The id in the path. */
  id: string;
  userId: string | null;
};

type Route = [method: string, path: RegExp, handle: (visit: Visit) => unknown];

export function createSite({ manager, webhookSecrets, trustedProxy }: SiteOptions): RequestListener {
  const communities = createCommunities(manager);
  const counts = createLiveCounts(webhookSecrets);
  const billing = createBilling(manager);
  const signIn = createSignIn();

  const showCommunity = async ({ response, id, userId }: Visit) => {
    const community = await communities.find(id);
    sendPage(
      response,
      200,
      communityPage({ community, votes: counts.of(id), userId, attempt: randomUUID() }),
    );
  };

  const vote = async ({ request, response, id, userId }: Visit) => {
    if (userId === null) return redirect(response, '/sign-in');
    const community = await communities.find(id);
    const form = await readForm(request);
    const ballot = { guildId: id, userId, externalId: form.get('name'), attempt: form.get('attempt') };
    const outcome = await castVote(manager, ballot, visitorAddress(request, trustedProxy));
    const page = { community, votes: counts.of(id), userId, attempt: randomUUID(), outcome };
    sendPage(response, outcome.status, communityPage(page));
  };

  const showBilling = async ({ response, userId }: Visit) => {
    const page = { communities: await communities.list(), orderId: randomUUID(), paidUntil: null, userId };
    sendPage(response, 200, billingPage(page));
  };

  const pay = async ({ request, response, userId }: Visit) => {
    const form = await readForm(request);
    const { guildId } = await communities.find(form.get('guild_id') ?? '');
    const paidUntil = await billing.pay(form.get('order_id') ?? '', guildId);
    communities.forget();
    const page = { communities: await communities.list(), orderId: randomUUID(), paidUntil, userId };
    sendPage(response, 200, billingPage(page));
  };

  const routes: Route[] = [
    [
      'GET',
      /^\/$/,
      async ({ response, userId }) =>
        sendPage(
          response,
          200,
          listPage({ communities: await communities.list(), votesOf: counts.of, userId }),
        ),
    ],
    ['GET', /^\/communities\/(\d+)$/, showCommunity],
    ['POST', /^\/communities\/(\d+)\/vote$/, vote],
    ['GET', /^\/sign-in$/, ({ response, userId }) => sendPage(response, 200, signInPage(userId))],
    [
      'POST',
      /^\/sign-in$/,
      async ({ request, response }) => {
        signIn.start(response, (await readForm(request)).get('user_id') ?? '');
        redirect(response, '/');
      },
    ],
    [
      'POST',
      /^\/sign-out$/,
      ({ response }) => {
        signIn.end(response);
        redirect(response, '/');
      },
    ],
    ['GET', /^\/billing$/, showBilling],
    ['POST', /^\/billing$/, pay],
    ['GET', /^\/events$/, ({ response }) => counts.follow(response)],
    ['GET', /^\/live\.js$/, ({ response }) => sendFile(response, 'live.js', 'text/javascript')],
    ['GET', /^\/style\.css$/, ({ response }) => sendFile(response, 'style.css', 'text/css')],
  ];

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    // Sent by the service, so it is signed instead of coming from one of our forms.
    const endpoint = /^\/webhooks\/(\d+)$/.exec(pathname)?.[1];
    if (endpoint !== undefined && request.method === 'POST')
      return counts.receive(endpoint, request, response);
    for (const [method, path, run] of routes) {
      const match = path.exec(pathname);
      if (!match || method !== request.method) continue;
      if (method === 'POST' && !isOwnForm(request))
        throw new HttpError(403, 'This form is from another site.');
      return run({ request, response, id: match[1] ?? '', userId: signIn.userOf(request) });
    }
    throw new HttpError(404, 'There is no such page.');
  };

  return (request, response) => {
    handle(request, response).catch((error: unknown) => {
      const { status, message } = describeFailure(error);
      if (status >= 500) process.stderr.write(`${request.method} ${request.url}: ${error}\n`);
      if (response.headersSent) response.destroy();
      else sendPage(response, status, errorPage(message));
    });
  };
}
