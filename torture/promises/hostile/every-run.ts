import { GUILD } from '../../lib/site.ts';
import { type HostileOptions, type HostileRequest, withoutReplaced } from './hostile.ts';
import { HEADERS, PARAMETERS } from './hostile-words.ts';
import { LONGEST, runOf, UNITS } from './long-text.ts';

/** Escaped characters are three times as long. */
const escapedRun = (unit: string) => encodeURIComponent(runOf(unit, { length: LONGEST / 3 }));

/** In a path, which ends at the first space. */
const pathRun = (unit: string) => runOf(unit.replaceAll(' ', '%20'));

const PARAMETER_PATHS = [
  '/',
  '/v7/vote-check',
  '/v7/guild/votes',
  `/guild/${GUILD}/vote`,
  `/guild/${GUILD}/card.png`,
  '/sign-in',
  '/operator/communities',
];

const HEADER_PATHS = ['/docs/guides/signed-links', '/v7/vote-check', '/nothing/'];

const FORMS: Record<string, readonly string[]> = {
  [`/dashboard/${GUILD}/settings/profile`]: ['description', 'tags', 'language', 'invite'],
  [`/dashboard/${GUILD}/settings/banner`]: ['alt'],
  [`/dashboard/${GUILD}/settings/rules`]: ['min_account_age_days'],
  [`/dashboard/${GUILD}/webhooks`]: ['url', 'name', 'token', 'service_name'],
  [`/dashboard/${GUILD}/webhooks/replay`]: ['since'],
  [`/dashboard/${GUILD}/votes/release`]: ['vote', 'claimed_at'],
  [`/guild/${GUILD}/vote`]: ['altcha'],
  '/operator/bans': ['user_id', 'until', 'reason'],
  '/operator/void': ['guild_id', 'user_id', 'at'],
  [`/operator/communities/${GUILD}/rename`]: ['name'],
  '/locale': ['to', 'back'],
};

/** Every run at every place where a request has text; in places that rarely matter, only every `stride`-th. */
export function* everyRun({ usualHeaders }: HostileOptions, stride: number): Generator<HostileRequest> {
  let n = 1;
  for (const unit of UNITS) {
    for (const place of [...foremostPlaces(unit), ...otherPlaces(unit).filter(() => n++ % stride === 0)]) {
      yield toRequest(place, usualHeaders(n));
      n += 1;
    }
  }
}

type Place = { target: string; headers?: readonly string[]; form?: string };

function foremostPlaces(unit: string): Place[] {
  const starts = ['/', `/guild/${GUILD}/`, '/v7/', '/docs/', '/nothing/?'];
  return [
    ...starts.map((start) => ({ target: start + pathRun(unit), headers: ['accept: text/html'] })),
    ...['host', 'x-forwarded-host'].map((name) => headerPlace(name, unit, '/docs/guides/signed-links')),
  ];
}

function otherPlaces(unit: string): Place[] {
  const headers = HEADERS.flatMap((name) => HEADER_PATHS.map((target) => headerPlace(name, unit, target)));
  const parameters = PARAMETERS.flatMap((name) =>
    PARAMETER_PATHS.map((path) => ({ target: `${path}?${name}=${escapedRun(unit)}` })),
  );
  const forms = Object.entries(FORMS).flatMap(([target, fields]) =>
    fields.map((name) => ({ target, form: `${name}=${escapedRun(unit)}` })),
  );
  return [...headers, ...parameters, ...forms];
}

function headerPlace(name: string, unit: string, target: string): Place {
  return { target, headers: [`${name}: ${runOf(unit)}`] };
}

/** A header of the place takes that of the usual ones. */
function toRequest({ target, headers = [], form }: Place, usual: readonly string[]): HostileRequest {
  const lines = [
    `${form === undefined ? 'GET' : 'POST'} ${target} HTTP/1.1`,
    ...withoutReplaced(usual, headers),
    ...headers,
  ];
  const head = lines.map((line) => `${line}\r\n`).join('');
  return { pieces: [Buffer.from(head + bodyOf(form), 'latin1')], endsItself: false };
}

function bodyOf(form: string | undefined): string {
  if (form === undefined) return '\r\n';
  const type = 'Content-Type: application/x-www-form-urlencoded';
  return `${type}\r\nContent-Length: ${Buffer.byteLength(form)}\r\n\r\n${form}`;
}
