const MAX_LENGTH = 100;

/** Control characters, and those that turn the direction of whatever text stands beside them. */
const UNSEEN = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu;

/** A community's name as the listing shows it: Discord's, made safe to stand in a line of text. */
export function listedName(name: string, guildId: string): string {
  const visible = name.toWellFormed().replace(UNSEEN, '').trim();
  return [...visible].slice(0, MAX_LENGTH).join('').trim() || guildId;
}
