/**
 * Keeps the names and icons of communities up to date with Discord. When the communities of an admin are read from
 * Discord, they are compared with the stored ones; a new icon is fetched, checked and stored in the background.
 *
 *   const refresher = createRefresher({ store, clock, icons: discordEndpoints(null).icons, userAgent, logger });
 *   refresher.refresh(adminGuilds, person);   // returns immediately and never throws
 */
import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import { type Clock, type Instant, MINUTE_MS, SECOND_MS } from '../../domain/clock.ts';
import type { IconType, SeenGuild } from '../../store/guilds/profiles.ts';
import type { Store } from '../../store/store.ts';
import type { Person } from '../session.ts';
import type { AdminGuild } from '../sign-in/sign-in.ts';

type RefresherOptions = {
  store: Store;
  clock: Clock;
  /** Where Discord serves icons: `<icons><guild_id>/<icon>.png`. */
  icons: URL;
  userAgent: string;
  logger: Pick<Logger, 'warn'>;
  timeLimitMs?: number;
};

export type Refresher = {
  refresh(guilds: readonly AdminGuild[], admin: Person): void;
  /** Resolves when nothing is left to do. */
  settled(): Promise<void>;
  /** Aborts the icons that are being fetched. */
  stop(): Promise<void>;
};

/** Large enough for 72 pixels on a dense screen. */
const ICON_SIZE = 128;
const MAX_ICON_BYTES = 256 * 1024;
/** How long to wait before fetching an icon again after a failure. */
const RETRY_MS = 10 * MINUTE_MS;
const MAX_FAILURES_KEPT = 1000;
/** More waiting refreshes are dropped: the next visit of an admin starts them again. */
const MAX_WAITING = 100;

export function createRefresher(options: RefresherOptions): Refresher {
  const { store, clock, logger, timeLimitMs = 10 * SECOND_MS } = options;
  const stopped = new AbortController();
  const failures = new Map<string, Instant>();
  let waiting = 0;
  let work = Promise.resolve();

  async function refreshAll(guilds: readonly AdminGuild[], admin: Person): Promise<void> {
    const byId = new Map(guilds.map((guild) => [guild.guildId, guild]));
    for (const seen of await store.profiles.seen([...byId.keys()])) {
      const guild = byId.get(seen.guildId);
      if (!guild || stopped.signal.aborted) continue;
      await refreshName(store, seen, guild.name, { actor: admin, at: clock() });
      await refreshIcon(seen, guild.icon);
    }
  }

  /** `source` is `undefined` if Discord did not send it. */
  async function refreshIcon({ guildId, iconSource }: SeenGuild, source: string | null | undefined) {
    if (source === undefined || source === iconSource) return;
    if (source === null) {
      await store.profiles.setIcon(guildId, null);
      return;
    }
    const key = `${guildId} ${source}`;
    if (clock() < (failures.get(key) ?? 0)) return;
    try {
      const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(timeLimitMs)]);
      const icon = await fetchIcon(options, guildId, source, signal);
      failures.delete(key);
      await store.profiles.setIcon(guildId, { ...icon, source });
    } catch (error) {
      rememberFailure(key);
      logger.warn({ guildId, reason: reasonOf(error) }, 'the icon of a community was not fetched');
    }
  }

  function rememberFailure(key: string): void {
    const [oldest] = failures.keys();
    if (failures.size >= MAX_FAILURES_KEPT && oldest !== undefined) failures.delete(oldest);
    failures.set(key, clock() + RETRY_MS);
  }

  return {
    refresh(guilds, admin) {
      if (guilds.length === 0 || waiting >= MAX_WAITING || stopped.signal.aborted) return;
      waiting += 1;
      work = work
        .then(() => refreshAll(guilds, admin))
        .catch((error: unknown) => {
          logger.warn({ reason: reasonOf(error) }, 'the communities of an admin were not updated');
        })
        .finally(() => {
          waiting -= 1;
        });
    },
    settled: () => work,
    async stop() {
      stopped.abort();
      await work;
    },
  };
}

/** Only a name that changed on Discord replaces the stored one, so that a name set by an operator is kept. */
async function refreshName(
  { guilds, profiles, activities }: Store,
  { guildId, name, discordName }: SeenGuild,
  current: string,
  change: { actor: Person; at: Instant },
): Promise<void> {
  if (current === discordName) return;
  await profiles.setDiscordName(guildId, current);
  if (current === name) return;
  const detail = { guildName: { from: name, to: current } };
  await activities.record({ ...change, guildId, action: 'guild_renamed', detail });
  await guilds.rename(guildId, current);
}

type FetchedIcon = { version: string; type: IconType; bytes: Buffer };

/** Rejects for anything but a small image. A redirect could lead into the network of this server. */
async function fetchIcon(
  { icons, userAgent }: RefresherOptions,
  guildId: string,
  source: string,
  signal: AbortSignal,
): Promise<FetchedIcon> {
  const url = new URL(`${guildId}/${source}.png?size=${ICON_SIZE}`, icons);
  const response = await fetch(url, { headers: { 'user-agent': userAgent }, signal, redirect: 'error' });
  const bytes = await readLimited(response, MAX_ICON_BYTES);
  if (!response.ok) throw new Error(`the request for the icon failed with status ${response.status}`);
  const type = imageType(bytes);
  if (!type || !response.headers.get('content-type')?.startsWith('image/'))
    throw new Error('the icon is not an image');
  return { type, bytes, version: hash('sha256', bytes, 'hex').slice(0, 16) };
}

async function readLimited({ body }: Response, limit: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body ?? []) {
    length += part.length;
    if (length > limit) throw new Error(`the icon is larger than ${limit} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** The first bytes of each image format, in hexadecimal. */
const SIGNATURES: readonly [IconType, RegExp][] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^47494638(?:37|39)61/],
  ['image/webp', /^52494646.{8}57454250/],
];

/** Detected from the first bytes, regardless of the content type that was sent. */
export function imageType(bytes: Buffer): IconType | undefined {
  const start = bytes.subarray(0, 16).toString('hex');
  return SIGNATURES.find(([, signature]) => signature.test(start))?.[0];
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
