// Runs in an empty project, under any Node from 20 on, with the packed package and a real service.
// Plain JavaScript, because Node 20 does not run TypeScript. Prints its results as one JSON document.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { env, stdout, version } from 'node:process';
import { isVotaryError, isVotaryValidationError, Votary, verifyWebhook, webhookHandler } from '@votary/sdk';

const { baseUrl, apiKey, userId, externalId, webhook } = JSON.parse(env.SMOKE);
const votary = new Votary({ apiKey, baseUrl });
const DAY_MS = 24 * 60 * 60 * 1000;
const now = Date.now();
const span = { from: new Date(now - 60 * DAY_MS), to: new Date(now + 1000) };

async function errorOf(call) {
  try {
    await call();
    return undefined;
  } catch (error) {
    return {
      code: error.code,
      status: error.status,
      message: error.message,
      fields: error.fields,
      isVotaryError: isVotaryError(error),
      isVotaryValidationError: isVotaryValidationError(error),
    };
  }
}

async function collect(votes) {
  const found = [];
  for await (const vote of votes) found.push(vote);
  return found;
}

async function deliver() {
  const users = [];
  const options = { secret: webhook.secret, onVote: ({ data }) => users.push(data.userId) };
  const server = createServer(webhookHandler(options)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${server.address().port}`;
  const post = (headers) => fetch(address, { method: 'POST', body: webhook.body, headers });
  const answers = [await post(webhook.headers), await post({})];
  server.close();
  server.closeAllConnections();
  return { statuses: answers.map(({ status }) => status), users };
}

/** Claims one vote twice, releases it, and claims it again. */
async function claimAll() {
  const idempotencyKey = `smoke-${now}`;
  const first = await votary.claim({ externalId }, { idempotencyKey, withinHours: 1 });
  const again = await votary.claim({ externalId }, { idempotencyKey, withinHours: 1 });
  const other = await votary.claim({ discordId: userId }, { withinHours: 1 });
  const overview = await votary.claims({ externalId }, { withinHours: 1 });
  const mismatch = await errorOf(() => votary.claim({ discordId: userId }, { idempotencyKey }));
  const released = [await votary.release(first.vote), await votary.release(first.vote)];
  const pending = await collect(votary.pendingClaims({ withinHours: 1 }));
  return {
    first: first.claimed,
    isReplayed: again.replayed && again.vote.voteId === first.vote.voteId,
    other: other.claimed,
    overview: [overview.claimable, overview.claimed],
    released,
    pending: pending.filter(({ voteId }) => voteId === first.vote.voteId).length,
    mismatch,
    badVote: await errorOf(() => votary.release('abc')),
  };
}

/** The vote of the demo, and the cursor after it. */
async function readFeed() {
  for await (const { votes, cursor } of votary.feed({ from: new Date(now - DAY_MS), waitSeconds: 0 })) {
    return { names: votes.map((vote) => vote.externalId), hasCursor: cursor.length > 0 };
  }
}

const month = await votary.listVotes({ from: new Date(now - 30 * DAY_MS), to: span.to, limit: 20 });
const nextPage = await votary.listVotes({ limit: 20, cursor: month.pagination.nextCursor });
const all = await collect(votary.votes({ ...span, pageSize: 200 }));
const own = await collect(votary.userVotes(userId, span));
const wrongKey = new Votary({ apiKey: `${apiKey.slice(0, -1)}!`, baseUrl, locale: 'fr' });
const report = {
  node: version,
  byId: await votary.checkVote({ discordId: userId }),
  byName: await votary.checkVote({ externalId }),
  unknown: await votary.checkVote({ discordId: '999999999999999999' }),
  month: { total: month.total, votes: month.votes.length, isDate: month.votes[0].timestamp instanceof Date },
  pagesMeet: month.votes.at(-1).timestamp <= nextPage.votes[0].timestamp,
  all: all.length,
  isSorted: all.every((vote, index) => index === 0 || all[index - 1].timestamp <= vote.timestamp),
  own: own.length,
  ownOfAll: all.filter((vote) => vote.userId === userId).length,
  user: (await votary.listUserVotes(userId, { limit: 1 })).userId,
  wrongKey: await errorOf(() => wrongKey.checkVote({ discordId: userId })),
  badId: await errorOf(() => votary.checkVote({ discordId: 'abc' })),
  badUser: await errorOf(() => votary.listUserVotes('abc')),
  badCursor: await errorOf(() => votary.listVotes({ cursor: 'abc' })),
  tooLong: await errorOf(() => votary.listVotes(span)),
  noIdentity: await errorOf(() => votary.checkVote({})),
  twoIdentities: await errorOf(() => votary.checkVote({ discordId: userId, externalId })),
  verified: (await verifyWebhook(webhook.body, webhook.headers, webhook.secret)).valid,
  delivered: await deliver(),
  batch: (await votary.checkVotes({ externalIds: [externalId, 'nobody'] })).map((check) => check.hasVoted),
  claims: await claimAll(),
  feed: await readFeed(),
  link: await votary.voteLink({
    guildId: '100000000000000001',
    externalId,
    returnTo: 'https://example.org/',
  }),
};
stdout.write(`${JSON.stringify(report)}\n`);
