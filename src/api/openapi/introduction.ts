/** The guides in docs/guides, which are served next to the reference. */
export const GUIDES = {
  curl: 'curl',
  'discord-bot-node': 'Discord bot (Node)',
  'php-cms': 'PHP website or CMS',
  azuriom: 'Azuriom',
  python: 'Python',
  'java-game-server': 'Java game server',
  'minecraft-paper': 'Minecraft plugin (Paper)',
  webhooks: 'Receiving webhooks',
  'discord-channel': 'Votes in a Discord channel',
  goals: 'Vote goals and vote parties',
  votifier: 'Minecraft server with NuVotifier',
  listforge: 'Moving from a ListForge site',
  topgg: 'Switching from top.gg',
  'signed-links': 'Signed vote links',
  'discord-app': 'Discord app (for operators)',
} as const;

export type GuideName = keyof typeof GUIDES;

export const GUIDES_PATH = '/docs/guides';

const guideLinks = Object.entries(GUIDES)
  .map(([name, title]) => `- [${title}](${GUIDES_PATH}/${name})`)
  .join('\n');

/** The headings are also anchors: API responses link to `#authentication`. */
export const INTRODUCTION = `
Find out who has voted for your community, and grant your own rewards. Users vote on the public page, not through this API.
A single request checks whether a user has voted within the last hour:

\`\`\`sh
curl -H "Authorization: Bearer $KEY" \\
  "$URL/v7/vote-check?external_id=Steve_42"
\`\`\`

Before you grant a reward, claim the vote: each vote can be claimed once. Use the feed to receive new votes without an open port.

\`\`\`sh
curl -X POST -H "Authorization: Bearer $KEY" \\
  "$URL/v7/guild/claims?external_id=Steve_42"
\`\`\`

## Guides

Short, complete example programs:

${guideLinks}

## Authentication

Every request needs the API key of your community. Admins find it in the dashboard, under Developer & API. The key only gives
access to its own community and stops working as soon as it is regenerated.

- Recommended: the header \`Authorization: Bearer <API_KEY>\`
- Alternative: the header \`X-Api-Token: <API_KEY>\`
- Deprecated: the query parameter \`api_token\`, because URLs end up in logs and histories. Responses carry \`Deprecation\` and \`Link\` headers.

The first of these that is not empty is used. Without a valid key the response is 401, with a \`WWW-Authenticate\` header and a message
that says what is wrong: no key, a placeholder, a missing \`Bearer\`, an old key, or a suspended community.

Keep the key on your server, never in a web page, a repository or a screenshot. Call the API from your server, not
from a browser; the form on this page is the only exception.

## Rate limit

Requests are limited per key, by default to 30 per minute, and all endpoints share the limit. Without a valid key, the limit applies per
IP address. A window of one minute starts with the first request. The headers \`RateLimit-Policy\` and \`RateLimit\` show the limit and how many
requests are left. Above the limit the response is 429 with \`retry_after\`, the number of seconds to wait: requests before that are
rejected too. Cache responses for a few seconds instead of repeating requests.

## Errors

An error has \`ok: false\`, a stable code in \`error\`, and a human-readable \`message\`. Invalid parameters return a different
body, \`errors\`, which lists each field and the rule it fails. Unknown paths return 404 with an
empty body; no other error of this API is a 404. Every path starts with its version: without \`/v7\`, the response is a 404 whose
message names the right path.

## Languages

Messages are in English or French, chosen by the parameter \`locale\`, the header \`X-Locale\` or \`Accept-Language\`, in that order; the default is English.
Codes, field names, dates and numbers are never translated.

## Conventions

HTTPS only. Parameters go in the query string for every method, percent-encoded in UTF-8 (\`%C3%A9\` is é); request bodies are ignored. HEAD returns the headers of GET.
Responses are JSON in UTF-8.
Names and values are case-sensitive; empty values count as absent; unknown parameters are ignored. Dates in responses are UTC
with milliseconds. Ids are strings, because they are too large for the number type of some languages. Send a \`User-Agent\` that identifies
your program.

## Versions

The version is part of every path. Within v7 only optional fields, parameters and endpoints are added: rely on the fields described here and
ignore others. v7 is the current version; v6 and older are not available.
`.trim();

export const TAGS = [
  {
    name: 'Votes',
    description:
      'Check whether users have voted, and how far the goal of the community is. Available to every community.',
  },
  {
    name: 'Claims',
    description:
      'Reward each vote exactly once, and receive new votes without an open port. Available to every community; only the list of all unclaimed votes requires Premium.',
  },
  {
    name: 'Vote lists',
    description: 'Votes of a period, page by page, and monthly leaderboards. Premium communities only.',
  },
  {
    name: 'Webhooks',
    description:
      'Get notified instead of polling: events are sent to endpoints that an admin adds in the dashboard, signed according to Standard Webhooks 1.0. ' +
      'Each event arrives at least once, in any order.',
  },
  { name: 'Description', description: 'The OpenAPI document.' },
];
