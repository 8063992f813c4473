/** Where Discord is spoken to. */
export type DiscordEndpoints = {
  /** The page where people agree. Browsers go there. */
  authorize: URL;
  token: URL;
  revoke: URL;
  user: URL;
  guilds: URL;
};

const DISCORD_AUTHORIZE = 'https://discord.com/oauth2/authorize';
const DISCORD_API = 'https://discord.com/api/v10';

/** Discord keeps its page for people apart from its API; a server that stands in for it has everything in one place. */
export function discordEndpoints(api: string | null): DiscordEndpoints {
  const base = api ?? DISCORD_API;
  return {
    authorize: new URL(api === null ? DISCORD_AUTHORIZE : `${api}/oauth2/authorize`),
    token: new URL(`${base}/oauth2/token`),
    revoke: new URL(`${base}/oauth2/token/revoke`),
    user: new URL(`${base}/users/@me`),
    guilds: new URL(`${base}/users/@me/guilds`),
  };
}
