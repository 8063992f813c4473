import type { Instant } from './clock.ts';
import { codePointLength } from './text/text.ts';
import type { PlayerNameRule } from './votes/player-names.ts';
import type { DoublingRule } from './votes/vote.ts';

export type Sanction = { since: Instant; reason: string | null };

/** A community server listed on the site. */
export type Guild = {
  guildId: string;
  name: string;
  createdAt: Instant;
  doubling: DoublingRule;
  /** Votes under one name that are less than an hour apart earn one reward when claimed by name. */
  oneRewardPerName: boolean;
  /** How claims compare names. */
  playerNames: PlayerNameRule;
  /** The consumer as which the ListForge protocol claims. */
  listforgeConsumer: string;
  premiumUntil: Instant | null;
  sanction: Sanction | null;
  /** When the operator removed it from the listing; everything else works as before. */
  unlistedAt: Instant | null;
  /** When its admins hid it from the listing. */
  hiddenAt: Instant | null;
  /** Requests per minute of its key. Null: the limit of the service. */
  rateLimit: number | null;
  /** The version of its icon, which is part of the icon's URL. Null: it has none. */
  icon: string | null;
  hasKey: boolean;
};

/** What the API needs of the guild whose key a request has. */
export type AdmittedGuild = Omit<Guild, 'createdAt' | 'unlistedAt' | 'hiddenAt' | 'icon' | 'hasKey'>;

/** Whether the guild is in the public listing, or why not: by a sanction, by the operator, or by its admins. */
export type ListingState = 'listed' | 'sanctioned' | 'unlisted' | 'hidden';

export function listingState({
  sanction,
  unlistedAt,
  hiddenAt,
}: Pick<Guild, 'sanction' | 'unlistedAt' | 'hiddenAt'>): ListingState {
  if (sanction !== null) return 'sanctioned';
  if (unlistedAt !== null) return 'unlisted';
  return hiddenAt === null ? 'listed' : 'hidden';
}

export function isListed(guild: Guild): boolean {
  return listingState(guild) === 'listed';
}

export function hasPremium(guild: Pick<Guild, 'premiumUntil'>, now: Instant): boolean {
  return guild.premiumUntil !== null && now < guild.premiumUntil;
}

/** A sanctioned guild keeps its data, but its key and its pages are disabled. */
export function isActive(guild: Pick<Guild, 'sanction'>): boolean {
  return guild.sanction === null;
}

export type GuildProfile = {
  /** Empty: none. */
  description: string;
  tags: readonly string[];
  language: Language | null;
  /** `https://discord.gg/…` */
  invite: string | null;
  /** A longer text, with line breaks. Empty: none. */
  about: string;
  /** Web addresses, each starting with `https://`. */
  links: readonly string[];
};

export const NO_PROFILE: GuildProfile = {
  ...{ description: '', tags: [], language: null, invite: null },
  ...{ about: '', links: [] },
};

/** ISO 639-1, in the order of forms. */
export const LANGUAGES = [
  'en',
  'fr',
  'ar',
  'bg',
  'cs',
  'da',
  'de',
  'el',
  'es',
  'fi',
  'he',
  'hi',
  'hu',
  'id',
  'it',
  'ja',
  'ko',
  'nl',
  'no',
  'pl',
  'pt',
  'ro',
  'ru',
  'sv',
  'th',
  'tr',
  'uk',
  'vi',
  'zh',
] as const;

export type Language = (typeof LANGUAGES)[number];

export function readLanguage(text: string | null | undefined): Language | null {
  return LANGUAGES.find((known) => known === text) ?? null;
}

export const MAX_DESCRIPTION_LENGTH = 300;
export const MAX_ABOUT_LENGTH = 2000;
export const MAX_LINKS = 5;
export const MAX_LINK_LENGTH = 200;
export const MAX_TAGS = 5;
export const MIN_TAG_LENGTH = 2;
export const MAX_TAG_LENGTH = 24;

/** The fields of the form as they were typed. */
export type ProfileInput = {
  description: string;
  tags: string;
  language: string;
  invite: string;
  about: string;
  /** One per line. */
  links: string;
};

export type ProfileFault =
  | 'description-too-long'
  | 'description-link'
  | 'too-many-tags'
  | 'bad-tag'
  | 'bad-language'
  | 'bad-invite'
  | 'about-too-long'
  | 'too-many-links'
  | 'bad-link';

/** What is wrong with each field; empty if the profile can be saved. */
export type ProfileFaults = Partial<Record<keyof ProfileInput, ProfileFault>>;

/** Reads what was typed. There is a profile in any case, so that a preview can be shown. */
export function readProfile(input: ProfileInput): { profile: GuildProfile; faults: ProfileFaults } {
  const description = cleanText(input.description);
  const tags = readTags(input.tags);
  const language = readLanguage(input.language);
  const invite = readInvite(input.invite);
  const about = cleanLines(input.about);
  const links = input.links.split(/\s+/).filter((link) => link !== '');
  const faults: ProfileFaults = {
    ...faultIn('description', descriptionFault(description)),
    ...faultIn('tags', tagsFault(tags)),
    ...faultIn('language', input.language !== '' && language === null ? 'bad-language' : null),
    ...faultIn('invite', input.invite.trim() !== '' && invite === null ? 'bad-invite' : null),
    ...faultIn('about', codePointLength(about) > MAX_ABOUT_LENGTH ? 'about-too-long' : null),
    ...faultIn('links', linksFault(links)),
  };
  const profile: GuildProfile = {
    ...{ description, tags: tags.filter(isTag).slice(0, MAX_TAGS), language, invite, about },
    links: links.filter(isLink).slice(0, MAX_LINKS),
  };
  return { profile, faults };
}

export function inputOf({ description, tags, language, invite, about, links }: GuildProfile): ProfileInput {
  return {
    ...{ description, tags: tags.join(', '), language: language ?? '', invite: invite ?? '' },
    ...{ about, links: links.join('\n') },
  };
}

function faultIn(field: keyof ProfileInput, fault: ProfileFault | null): ProfileFaults {
  return fault === null ? {} : { [field]: fault };
}

/** Control characters garble a page; the others change the direction of the surrounding text. */
const UNSAFE = /[\p{Cc}\p{Bidi_Control}\s]+/gu;

function cleanText(text: string): string {
  return text.toWellFormed().normalize('NFC').replace(UNSAFE, ' ').trim();
}

/**
 * A web address: with a scheme, with `www.`, or a host with a path. A bare host, such as that of a game server, does
 * not count.
 */
const LINK = /[a-z0-9+.-]:\/\/|\bwww\.|[\p{L}\p{N}-]\.\p{L}{2,}\/|\]\(/iu;

function descriptionFault(description: string): ProfileFault | null {
  if (codePointLength(description) > MAX_DESCRIPTION_LENGTH) return 'description-too-long';
  return LINK.test(description) ? 'description-link' : null;
}

/** `Role Play, #PvP` are the tags `role-play` and `pvp`. */
function readTags(text: string): string[] {
  const tags = cleanText(text)
    .split(',')
    .map((tag) => tag.trim().replace(/^#/, '').toLowerCase().replaceAll(' ', '-'))
    .filter((tag) => tag !== '');
  return [...new Set(tags)];
}

const TAG = /^[\p{L}\p{M}\p{N}]+(?:-[\p{L}\p{M}\p{N}]+)*$/u;

export function isTag(tag: string): boolean {
  const length = codePointLength(tag);
  return TAG.test(tag) && tag === tag.toLowerCase() && length >= MIN_TAG_LENGTH && length <= MAX_TAG_LENGTH;
}

function tagsFault(tags: readonly string[]): ProfileFault | null {
  if (tags.length > MAX_TAGS) return 'too-many-tags';
  return tags.every(isTag) ? null : 'bad-tag';
}

/** Keeps single empty lines between paragraphs. */
function cleanLines(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').split('\n').map(cleanText);
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function linksFault(links: readonly string[]): ProfileFault | null {
  if (links.length > MAX_LINKS) return 'too-many-links';
  return links.every(isLink) ? null : 'bad-link';
}

/** Credentials in a URL would make the displayed host less trustworthy. */
function isLink(text: string): boolean {
  const url = /^https:\/\//i.test(text) ? URL.parse(text) : null;
  return url?.protocol === 'https:' && !url.username && !url.password && text.length <= MAX_LINK_LENGTH;
}

const INVITE = /^https:\/\/(?:discord\.gg|discord\.com\/invite)\/([A-Za-z0-9-]{2,32})$/;

function readInvite(text: string): string | null {
  const code = INVITE.exec(text.trim())?.[1];
  return code === undefined ? null : `https://discord.gg/${code}`;
}
