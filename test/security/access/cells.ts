/** The words of the access table: who calls, and what they meet. */
import type { Store } from '../../../src/store/store.ts';
import type { Caller, Community } from '../fixture.ts';
import type { SignInKind } from './sign-in-methods.ts';
import type { Part } from './state.ts';

/**
 * The result for a caller:
 *   ok         the page, the response, or the redirect after a successful form
 *   signIn     a redirect to the sign-in page; for a submitted form, a page that says so (`signInEnded`)
 *   stale      400, "this sign-in has expired"
 *   forbidden  403, "not for this account"
 *   wrongKey   the text by which the ListForge protocol rejects a key
 *   problem    401 as problem details, the format of top.gg's v1
 *   unsigned   401, the request is not from Discord
 *   noToken    401, INVALID_TOKEN of the management API
 *   unset, invalid, method   the error of the API: API_NOT_SET, INVALID_API_TOKEN, METHOD_NOT_ALLOWED
 */
export type Cell =
  | 'ok'
  | 'signIn'
  | 'signInEnded'
  | 'stale'
  | 'forbidden'
  | 'wrongKey'
  | 'problem'
  | 'unsigned'
  | 'noToken'
  | 'unset'
  | 'invalid'
  | 'method';

export type Row = {
  route: string;
  /** The kind of sign-in that has this route. Default: both. */
  signInKind?: SignInKind;
  /**
   * The path to request; `:guild_id` is replaced by the community, `:key` by the caller's key. Default: the path of
   * the route.
   */
  path?: string | ((community: Community) => string);
  /** Fields of the form, in addition to the caller's valid token. */
  form?: (community: Community) => Record<string, string>;
  /** For a callback from Discord: the browser that started this sign-in. */
  begunIn?: 'the own browser' | 'another browser';
  /** Prepares a state in which the action has an effect. */
  prepare?: (store: Store, community: Community) => Promise<void>;
  /** Everything that changes in the community if an authorized caller does it. Default: nothing. */
  changes?: readonly Part[];
  /** A report that is accepted and ignored, although it is a POST. */
  isIgnored?: true;
  /** The name of the caller afterwards; null if signed out. Default: unchanged. */
  becomes?: string | null;
  cells: Record<Caller, Cell>;
};

export const PUBLIC = everybody('ok');

/** All signed-in callers; a key is not a session. */
export const PERSON = {
  ...everybody('signIn'),
  voter: 'ok',
  adminOfAnother: 'ok',
  admin: 'ok',
} as const;

/** A form for all signed-in callers. */
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

/** A form that consists of a button only. */
export function noFields(): Record<string, string> {
  return {};
}
