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
  listforge: 'Moving from a ListForge site',
  'signed-links': 'Signed vote links',
} as const;

export const GUIDES_PATH = '/docs/guides';

const guideLinks = Object.entries(GUIDES)
  .map(([name, title]) => `- [${title}](${GUIDES_PATH}/${name})`)
  .join('\n');

/** The introduction. Its heading names are anchors: API responses link to \`#authentication\`. */
export const INTRODUCTION = `
Ask whether a user has voted for your community within the last hour, then grant your own reward. People vote on the
public page, not through this API. One call is enough:

\`\`\`sh
curl -H "Authorization: Bearer $KEY" \\
  "$URL/v7/vote-check?external_id=Steve_42"
\`\`\`

## Guides

Short, complete programs to start from:

${guideLinks}

## Authentication

Every call needs the key of your community. An admin finds it in the dashboard, under Developer & API. The key opens the
data of its own community only, and stops working the moment it is regenerated.

- Recommended: the header \`Authorization: Bearer <API_KEY>\`
- Also: the header \`X-Api-Token: <API_KEY>\`
- Deprecated: the parameter \`api_token\`. Addresses end up in logs and histories. Answers to it carry \`Deprecation\` and \`Link\` headers.

Keep the key on your server: not in a web page, not in a repository, not on a screenshot. Call the API from your server, never
from a browser; the form on this page is the one exception.

## Rate limit

30 requests a minute for each key, over all endpoints together; without a valid key, for each address. The window starts with
the first request. \`RateLimit\` on every answer says how many are left. Past the limit the answer is 429 with \`retry_after\`,
the seconds to wait before the next request: earlier ones are refused too. Keep an answer for a few seconds instead of asking twice.

## Errors

An error has \`ok: false\`, a code in \`error\` that never changes, and a \`message\` for people. A parameter that breaks its schema is
answered with another body, \`errors\`, that names each field and the rule it breaks. Unknown addresses give 404 with an
empty body; no error of this API is a 404.

## Languages

Messages are in English or French: by the parameter \`locale\`, else the header \`X-Locale\`, else \`Accept-Language\`, else English.
Codes, field names, dates and numbers are never translated.

## Conventions

HTTPS only. Parameters go in the query string of every method; request bodies are not read. HEAD gives the headers of GET.
Responses are JSON in UTF-8.
Names and values are case-sensitive; an empty value counts as not given; unknown parameters are ignored. Dates in answers are UTC
with milliseconds. Ids are strings: they are too large for the numbers of some languages. Send a \`User-Agent\` that names
your program.

## Versions

The version is part of every path. Within v7 only optional things are added: rely on the fields described here, and ignore
others. v7 is the current version; v6 and older are not served.
`.trim();

export const TAGS = [
  { name: 'Votes', description: 'Check one user. For every community.' },
  {
    name: 'Claims',
    description:
      'Reward each vote exactly once, and follow new votes without an open port. For every community.',
  },
  { name: 'Vote lists', description: 'Votes of a period, page by page. For Premium communities.' },
  {
    name: 'Webhooks',
    description:
      'Instead of asking, be told: events posted to endpoints that an admin sets in the dashboard, signed as Standard Webhooks 1.0 describes. ' +
      'Each event arrives at least once, in any order.',
  },
  { name: 'Description', description: 'This API, described for programs.' },
];
