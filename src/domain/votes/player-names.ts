/**
 * When two names of players are the same, for claims. Names are found by their key (votes.name_key), which has no case;
 * with `minecraft`, by the keys with each prefix, so that every name is an index lookup.
 */

/** `exact`; `ignore-case`; `minecraft`: without case, and without the prefix that servers give to Bedrock players. */
export const PLAYER_NAME_RULES = ['exact', 'ignore-case', 'minecraft'] as const;

export type PlayerNameRule = (typeof PLAYER_NAME_RULES)[number];

export const DEFAULT_PLAYER_NAMES: PlayerNameRule = 'exact';

/** The prefixes that Floodgate and its configuration guides use. */
const BEDROCK_PREFIXES = ['.', '*', '~', '+', '!', '-'];

/** The key without a prefix: the same for all names of a Minecraft player. */
export function playerKeyOf(nameKey: string): string {
  const hasPrefix = nameKey.length > 1 && BEDROCK_PREFIXES.includes(nameKey.slice(0, 1));
  return hasPrefix ? nameKey.slice(1) : nameKey;
}

/** The keys of all names that are the same as the one with this key. */
export function matchingNameKeys(nameKey: string, rule: PlayerNameRule): string[] {
  if (rule !== 'minecraft') return [nameKey];
  const player = playerKeyOf(nameKey);
  const prefixed = BEDROCK_PREFIXES.map((prefix) => prefix + player);
  // `--Steve` is `-Steve` with a prefix, but `-Steve` itself is `Steve` with one.
  return playerKeyOf(player) === player ? [player, ...prefixed] : prefixed;
}
