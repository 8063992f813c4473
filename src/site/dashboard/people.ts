/**
 * People by name instead of by id: the name and picture that they had when they signed in last. Somebody who never
 * signed in, or not for a year, is displayed as an id.
 */
import type { Locale } from '../../domain/locale.ts';
import type { StoredUser } from '../../store/users.ts';
import { type Html, html } from '../layout/html.ts';
import { avatar } from '../layout/page.ts';
import { copied } from './format.ts';

export type People = ReadonlyMap<string, StoredUser>;

const copyId: Record<Locale, (name: string) => string> = {
  en: (name) => `Copy the user id of ${name}`,
  fr: (name) => `Copier l’identifiant de ${name}`,
};

/** What to call somebody where there is only room for text. */
export function nameOf(people: People, userId: string): string {
  return people.get(userId)?.name ?? userId;
}

/** A person as a link, or as text without `href`. The id can be seen by pointing at the name, and copied. */
export function personTag(locale: Locale, people: People, userId: string, href?: string): Html {
  const user = people.get(userId);
  if (!user) return linked(html`<span class="mono">${userId}</span>`, href);
  return html`<span class="who">${portrait(user)}${linked(html`<bdi title="${userId}">${user.name}</bdi>`, href)}${copyIdButton(locale, userId, user.name)}</span>`;
}

/** An actor of a log: by the name that the log has stored. */
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

/** Hidden until its script (dashboard.js) is loaded. */
function copyIdButton(locale: Locale, userId: string, name: string): Html {
  const label = copyId[locale](name);
  return html`<button type="button" class="copy-id" hidden data-copy-text="${userId}" data-copied="${copied[locale]}" aria-label="${label}" title="${userId}"></button>`;
}
