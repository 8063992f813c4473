import type { DemoGuild } from '../demo.ts';

/** What `npm start` shows: everything a newcomer needs for a first answer, ready to paste. */
export function demoBanner(url: string, demo: DemoGuild | undefined): string {
  return [`Votary is running at ${url}`, '', demo ? introduce(url, demo) : OWN_GUILDS, '', STOP_HINT].join(
    '\n',
  );
}

const STOP_HINT = 'Stop with Ctrl+C.';

const OWN_GUILDS = [
  'This database has guilds of its own, so no demo guild was added.',
  'See them with:    npm run -s votary -- guild list',
  'Show a key with:  npm run -s votary -- key show <guild_id>',
].join('\n');

function introduce(url: string, demo: DemoGuild): string {
  const calls = [
    ['Has this user voted in the last hour?', `/v7/vote-check?discord_id=${demo.userId}`],
    ['The same, by the name they use in the game:', `/v7/vote-check?external_id=${demo.externalId}`],
    ['All votes of this month (Premium):', '/v7/guild/votes'],
    ['The votes of one user (Premium):', `/v7/guild/votes/users/${demo.userId}`],
  ];
  return [
    `Guild    ${demo.guildId}  ${demo.name}, with sample votes`,
    `API key  ${demo.key}`,
    '',
    'Open in a browser (it warns once: the certificate is self-signed):',
    ...pages(url, demo).map(([name, address]) => `  ${name.padEnd(12)}${address}`),
    '',
    'Paste one of these into another terminal (-k: the certificate is self-signed):',
    ...calls.map(([question, path]) => `\n# ${question}\n${curl(url + path, demo.key)}`),
  ].join('\n');
}

function pages(url: string, demo: DemoGuild): [string, string][] {
  return [
    ['Vote', `${url}/guild/${demo.guildId}/vote`],
    ['Dashboard', `${url}/dashboard`],
    ['API docs', `${url}/docs`],
  ];
}

function curl(address: string, key: string): string {
  return `curl -sk "${address}" -H "Authorization: Bearer ${key}"`;
}
