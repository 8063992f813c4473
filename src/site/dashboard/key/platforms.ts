/** Where communities grant rewards. Each platform has its own example of a claim, and a guide with the complete program. */
import type { docsMessages } from '../../docs/messages.ts';
import { tabAddress } from '../frame.ts';

export const PLATFORM_NAMES = ['discord-bot', 'minecraft', 'php', 'python', 'other'] as const;
export type Platform = (typeof PLATFORM_NAMES)[number];

export type Language = 'curl' | 'node' | 'php' | 'python' | 'java';

type GuideName = keyof (typeof docsMessages)['en']['titles'];

type Values = { site: string; guildId: string; key: string };

type PlatformParts = {
  languages: readonly [Language, ...Language[]];
  guides: readonly GuideName[];
  /** As the first of the guides writes them. */
  settings(values: Values): string;
};

export const PLATFORMS: Record<Platform, PlatformParts> = {
  'discord-bot': { languages: ['node'], guides: ['discord-bot-node', 'topgg'], settings: environment },
  minecraft: {
    languages: ['java', 'curl'],
    guides: ['minecraft-paper', 'votifier', 'listforge'],
    settings: ({ site, guildId, key }) => `url: ${site}\nguild-id: "${guildId}"\napi-key: ${key}`,
  },
  php: { languages: ['php'], guides: ['php-cms', 'azuriom'], settings: environment },
  python: { languages: ['python'], guides: ['python'], settings: environment },
  other: {
    languages: ['curl', 'node', 'php', 'python', 'java'],
    guides: ['curl', 'webhooks'],
    settings: environment,
  },
};

function environment({ site, guildId, key }: Values): string {
  return `export VOTARY_URL=${site} VOTARY_API_KEY=${key} GUILD_ID=${guildId}`;
}

/** Until a platform is chosen: its examples are in every language. */
const DEFAULT_PLATFORM = 'other' satisfies Platform;

export function readPlatform(text: string | undefined): Platform {
  return PLATFORM_NAMES.find((name) => name === text) ?? DEFAULT_PLATFORM;
}

/** `?language=python` in a link shows that example, if the platform has it. */
export function readLanguage(text: string | undefined, platform: Platform): Language {
  const { languages } = PLATFORMS[platform];
  return languages.find((language) => language === text) ?? languages[0];
}

/** The page with this platform. */
export function platformAddress(guildId: string, platform: Platform): string {
  const address = tabAddress(guildId, 'key');
  return platform === DEFAULT_PLATFORM ? address : `${address}?platform=${platform}`;
}
