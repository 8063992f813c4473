// Runs calls of the shared cases with the JavaScript SDK: one JSON line in, one out.
import { createInterface } from 'node:readline';
import { Votary, verifyWebhook } from '@votary/sdk';

const names = (object, change) => Object.fromEntries(Object.entries(object).map(([k, v]) => [change(k), v]));
const camel = (text) => text.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
const snake = (text) => text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Uses the field names of the API, so that all clients share the cases. */
function toApi(value) {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(toApi);
  if (typeof value !== 'object' || value === null) return value;
  return names(Object.fromEntries(Object.entries(value).map(([k, v]) => [k, toApi(v)])), snake);
}

const identity = ({ discordId, externalId }) => ({
  ...(discordId && { discordId }),
  ...(externalId && { externalId }),
});

const CALLS = {
  check: (votary, voter) => votary.checkVote(voter),
  checks: (votary, voters) => votary.checkVotes(voters),
  claimable: (votary, { withinHours, consumer, ...voters }) =>
    votary.claimable(voters, { withinHours, consumer }),
  goal: (votary) => votary.goal(),
  claim: (votary, given) => votary.claim(identity(given), given),
  claims: (votary, given) => votary.claims(identity(given), given),
  release: (votary, { vote, claimedAt, consumer }) =>
    votary.release(typeof vote === 'string' ? vote : names(vote, camel), { claimedAt, consumer }),
  pending_claims: (votary, given) => Array.fromAsync(votary.pendingClaims(given)),
  feed: async (votary, { limit, wait, ...given }) => {
    for await (const page of votary.feed({ ...given, pageSize: limit, waitSeconds: wait })) return page;
  },
  vote_link: (votary, { secret, expires, ...given }) =>
    votary.voteLink({ ...given, ...(secret && { signing: { secret, expires } }) }),
  verify_webhook: async (_votary, { body, headers, secret, now }) => {
    const result = await verifyWebhook(body, headers, secret, { now: () => now * 1000 });
    if (!result.valid) throw Object.assign(new Error(result.message), { code: 'WEBHOOK_REFUSED' });
    return result.event;
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { client, call, arguments: given } = JSON.parse(line);
  const votary = new Votary({
    apiKey: client.key,
    baseUrl: client.url,
    locale: client.locale,
    cacheSeconds: 0,
  });
  let outcome;
  try {
    const isWebhook = call === 'verify_webhook';
    outcome = { result: toApi(await CALLS[call](votary, isWebhook ? given : names(given, camel))) };
  } catch (error) {
    const { code, message, status, fields } = error;
    outcome = { error: { code: code ?? error.name, message, status, fields } };
  }
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
}
