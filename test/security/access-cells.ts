/** The words of the access table: who calls, and what they meet. */
import type { Store } from '../../src/store/store.ts';
import type { Caller, Community } from './fixture.ts';
import type { Part } from './state.ts';
import type { WayInKind } from './ways-in.ts';

/**
 * What a caller meets:
 *   ok         the page, the answer, or the redirect after a form that did its work
 *   signIn     the way to the sign-in page; for a form that was sent, a page that says so (`signInEnded`)
 *   stale      400, "this sign-in has expired"
 *   forbidden  403, "not for this account"
 *   wrongKey   the text by which the ListForge protocol refuses a key
 *   unsigned   401, the request is not from Discord
 *   unset, invalid, method   the error of the API: API_NOT_SET, INVALID_API_TOKEN, METHOD_NOT_ALLOWED
 */
export type Cell =
  | 'ok'
  | 'signIn'
  | 'signInEnded'
  | 'stale'
  | 'forbidden'
  | 'wrongKey'
  | 'unsigned'
  | 'unset'
  | 'invalid'
  | 'method';

export type Row = {
  route: string;
  /** The way to sign in that has this route. Default: both. */
  wayIn?: WayInKind;
  /** The address to ask for; `:guild_id` stands for the community, `:key` for the caller's key. Default: that of the route. */
  path?: string | ((community: Community) => string);
  /** Fields of the form, beside the caller's own valid token. */
  form?: (community: Community) => Record<string, string>;
  /** For an answer of Discord: the browser that began this sign-in. */
  begunIn?: 'the own browser' | 'another browser';
  /** Makes it possible that the action does something. */
  prepare?: (store: Store, community: Community) => Promise<void>;
  /** All that is another for the community after a caller who may. Default: nothing. */
  changes?: readonly Part[];
  /** Who a caller is after it, by name; nobody is null. Default: who they were. */
  becomes?: string | null;
  cells: Record<Caller, Cell>;
};

export const PUBLIC = everybody('ok');

/** Whoever is signed in; a key is not a person. */
export const PERSON = {
  ...everybody('signIn'),
  voter: 'ok',
  adminOfAnother: 'ok',
  admin: 'ok',
} as const;

/** A form for whoever is signed in. */
export const PERSON_ACTION = { ...PERSON, ...keysAnd('nobody', 'signInEnded') } as const;

export const ADMIN = {
  ...everybody('signIn'),
  voter: 'forbidden',
  adminOfAnother: 'forbidden',
  admin: 'ok',
} as const;

export const ADMIN_ACTION = { ...ADMIN, ...keysAnd('nobody', 'signInEnded') } as const;

export function everybody(cell: Cell): Record<Caller, Cell> {
  return { ...keysAnd('nobody', cell), voter: cell, adminOfAnother: cell, admin: cell };
}

function keysAnd<Name extends Caller>(name: Name, cell: Cell) {
  return { [name]: cell, nobody: cell, validKey: cell, oldKey: cell, sanctionedKey: cell };
}

/** Of a form whose button is all there is. */
export function noFields(): Record<string, string> {
  return {};
}
