import packageJson from '../../package.json' with { type: 'json' };

/** The User-Agent of our requests, in the format that Discord requires. */
export function discordUserAgent({ publicUrl }: { publicUrl: string | null }): string {
  return `DiscordBot (${publicUrl ?? 'self-hosted Votary'}, ${packageJson.version})`;
}
