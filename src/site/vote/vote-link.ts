import { isLoopbackHost } from '../../domain/address.ts';
import { isLinkableExternalId } from '../../domain/identifiers.ts';
import { PageError } from '../errors/page-error.ts';

/** What a vote link says beside the community: under which name to vote, and where to go back to. */
export type VoteLink = { externalId: string | null; returnTo: URL | null };

/** For everybody: no name, and nowhere to go back to. */
const STANDARD_LINK: VoteLink = { externalId: null, returnTo: null };

/** Throws the page that tells what is wrong with the link. In the demo, it may lead back to a program on this machine. */
export function readVoteLink(query: unknown, { isDemo = false } = {}): VoteLink {
  return {
    externalId: readParameter(query, 'external_id', readExternalId),
    returnTo: readParameter(query, 'return_to', (value) => readReturnAddress(value, isDemo)),
  };
}

/** The address of the voting page itself: a form, a sign-in and a redirect all lead back to the very same link. */
export function votePath(guildId: string, { externalId, returnTo }: VoteLink = STANDARD_LINK): string {
  const parameters = [
    ...(externalId === null ? [] : [`external_id=${encodeURIComponent(externalId)}`]),
    ...(returnTo === null ? [] : [`return_to=${encodeURIComponent(returnTo.href)}`]),
  ];
  const path = `/guild/${guildId}/vote`;
  return parameters.length === 0 ? path : `${path}?${parameters.join('&')}`;
}

function readParameter<T>(query: unknown, name: string, read: (value: unknown) => T): T | null {
  if (typeof query !== 'object' || query === null || !Object.hasOwn(query, name)) return null;
  return read(Reflect.get(query, name));
}

/** A link that names two identities is refused like an empty one: nobody can tell which was meant. */
function readExternalId(value: unknown): string {
  if (typeof value !== 'string' || !isLinkableExternalId(value)) throw new PageError('BAD_EXTERNAL_ID');
  return value;
}

/** A name or password in the address would only make the shown host harder to trust. */
function readReturnAddress(value: unknown, isDemo: boolean): URL {
  const url = typeof value === 'string' && /^https?:\/\//i.test(value) ? URL.parse(value) : null;
  const isAllowed = url?.protocol === 'https:' || (isDemo && url && isLoopbackHost(url.hostname));
  if (!url || !isAllowed || url.username || url.password) throw new PageError('BAD_RETURN_ADDRESS');
  return url;
}
