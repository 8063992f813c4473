/**
 * How pages show users: with the name and picture of their last sign-in. Users who never signed in, or not for a year,
 * are shown by id.
 */
import type { Locale } from '../../domain/locale.ts';
import type { StoredUser } from '../../store/users.ts';
import { avatar } from './avatar.ts';
import { copyIdButton } from './copy-button.ts';
import { type Html, html } from './html.ts';

export type People = ReadonlyMap<string, StoredUser>;

/** The name of a user where there is only room for text. */
export function nameOf(people: People, userId: string): string {
  return people.get(userId)?.name ?? userId;
}

/** A person as a link, or as text without `href`. The id is the tooltip of the name and can be copied. */
export function personTag(locale: Locale, people: People, userId: string, href?: string): Html {
  const user = people.get(userId);
  if (!user) return linked(html`<span class="mono">${userId}</span>`, href);
  return html`<span class="who">${portrait(user)}${linked(html`<bdi title="${userId}">${user.name}</bdi>`, href)}${copyIdButton(locale, userId, user.name)}</span>`;
}

/** An actor in a log, with the name that the log has stored. */
export function actorTag(locale: Locale, people: People, actor: { userId: string; name: string }): Html {
  const { userId, name } = actor;
  const user = { userId, name, avatar: people.get(userId)?.avatar ?? null };
  return html`<span class="who">${portrait(user)}<bdi title="${userId}">${name}</bdi>${copyIdButton(locale, userId, name)}</span>`;
}

function linked(content: Html, href: string | undefined): Html {
  return href === undefined ? content : html`<a href="${href}">${content}</a>`;
}

/** The initials stay visible while the picture loads, and if it no longer exists. */
function portrait({ userId, name, avatar: hash }: Omit<StoredUser, 'showName'>): Html {
  const initials = avatar({ id: userId, name }, 'small');
  if (hash === null) return initials;
  return html`<span class="portrait">${initials}<img src="${pictureAddress(userId, hash)}" alt="" width="28" height="28" loading="lazy" referrerpolicy="no-referrer"></span>`;
}

function pictureAddress(userId: string, hash: string): string {
  return `${PICTURE_ORIGIN}/avatars/${userId}/${hash}.webp?size=64`;
}

/** Where Discord serves profile pictures. Only pages for admins and operators load them. */
export const PICTURE_ORIGIN = 'https://cdn.discordapp.com';
