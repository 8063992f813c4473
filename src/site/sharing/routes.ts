/** `/guild/<id>/card.png` for link previews and `/guild/<id>/badge.svg` for other websites. */
import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerNetwork } from '../../domain/address.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/clock.ts';
import { chooseLocale, type Locale } from '../../domain/locale.ts';
import { firstText } from '../../domain/record.ts';
import { ttlCache } from '../../domain/ttl-cache.ts';
import type { GoalProgress } from '../../domain/votes/goal.ts';
import { currentMonth } from '../../domain/votes/period.ts';
import { rateStatusOf } from '../../store/rates.ts';
import type { SiteDeps } from '../deps.ts';
import { requireActiveGuild } from '../find-guild.ts';
import { goalLine } from '../goal/goal.ts';
import type { Board } from '../home/board.ts';
import { initialsOf } from '../layout/avatar.ts';
import { IMAGE_POLICY, MARK } from '../layout/brand.ts';
import { isUnchanged } from '../layout/etag.ts';
import { formatNumber } from '../layout/format.ts';
import { readRank } from '../profile/routes.ts';
import { renderBadge } from './badge.ts';
import type { CardContent } from './card-drawing.ts';
import { CardRenderer, CardUnavailable } from './card-renderer.ts';
import { sharingMessages } from './messages.ts';

type GuildRequest = FastifyRequest<{ Params: { guildId: string } }>;

/** What an image shows of a guild. */
type Facts = {
  guildId: string;
  name: string;
  tags: readonly string[];
  icon: string | null;
  /** The version of the banner. */
  banner: string | null;
  votes: number;
  rank: { place: number; of: number } | null;
  goal: GoalProgress | null;
};

/** How long an image is cached. New votes do not cause it to be drawn again within this time. */
const KEPT_MS = 5 * MINUTE_MS;
const CACHED = `public, max-age=${KEPT_MS / SECOND_MS}`;
const MAX_GUILDS_KEPT = 2000;

/** How many cards a network can have drawn; cached ones do not count. */
const DRAWING_LIMIT = { requests: 30, windowMs: MINUTE_MS };

const BUSY_STATUS = 429;
const UNAVAILABLE_STATUS = 503;
const RETRY_SECONDS = 5;

/** Formats that the renderer can read. */
const DRAWABLE_ICONS = ['image/png', 'image/jpeg', 'image/gif'];

export function sharingRoutes(app: FastifyInstance, { store, clock }: SiteDeps, board: Board): void {
  const cards = new CardRenderer({
    clock,
    onSimplified: (error) =>
      app.log.warn({ err: error }, 'a card is drawn without its pictures and system fonts'),
  });
  app.addHook('onClose', () => cards.close());
  const logo = drawableLogo(app.brand);
  const limits = { clock, maxAgeMs: KEPT_MS, ageFrom: 'end' } as const;
  const facts = ttlCache<Facts>({ ...limits, maxEntries: MAX_GUILDS_KEPT });

  async function readFacts(guildId: string): Promise<Facts> {
    const guild = await requireActiveGuild(store, guildId);
    const [votes, goal, banner, { tags }] = await Promise.all([
      store.votes.countInMonth(guildId, currentMonth(clock()).from),
      store.goals.progress(guildId, clock()),
      store.banners.find(guildId),
      store.profiles.find(guildId),
    ]);
    const rank = votes > 0 ? await readRank(board, guild, votes) : null;
    const pictures = { icon: guild.icon, banner: banner?.version ?? null };
    return { guildId, name: guild.name, tags, ...pictures, votes, rank, goal };
  }

  async function loadContent(
    shown: Omit<CardContent, 'icon' | 'banner' | 'logo'>,
    facts: Facts,
  ): Promise<CardContent> {
    const { guildId } = facts;
    const [icon, banner] = await Promise.all([
      facts.icon === null ? undefined : store.profiles.icon(guildId),
      facts.banner === null ? undefined : store.banners.file(guildId),
    ]);
    const isDrawable = icon !== undefined && DRAWABLE_ICONS.includes(icon.type);
    return {
      ...shown,
      icon: isDrawable ? dataUrl(icon.type, icon.bytes) : null,
      logo,
      banner: banner ? dataUrl('image/jpeg', banner.bytes) : null,
    };
  }

  app.get('/guild/:guildId/card.png', async (request: GuildRequest, reply) => {
    const { guildId } = request.params;
    const read = await facts.get(guildId, () => readFacts(guildId));
    const shown = cardContent(read, imageLocale(request), app.brand);
    const key = hash('sha256', JSON.stringify([shown, read.icon, read.banner]), 'hex').slice(0, 20);
    if (isUnchangedImage(request, reply, key)) return reply.send();
    if (cards.needsDrawing(key)) {
      const window = await store.rates.hit(`card:${callerNetwork(request.ip)}`, DRAWING_LIMIT, clock());
      const { isExceeded, resetSeconds } = rateStatusOf(window, DRAWING_LIMIT, clock());
      if (isExceeded) return refuse(reply, BUSY_STATUS, resetSeconds);
    }
    try {
      const png = await cards.get(key, () => loadContent(shown, read));
      return reply.type('image/png').send(png);
    } catch (error) {
      if (error instanceof CardUnavailable) return refuse(reply, UNAVAILABLE_STATUS, RETRY_SECONDS);
      throw error;
    }
  });

  app.get('/guild/:guildId/badge.svg', async (request: GuildRequest, reply) => {
    const { guildId } = request.params;
    const read = await facts.get(guildId, () => readFacts(guildId));
    const { name } = read;
    const { text, progress } = badgeFigure(read, imageLocale(request), firstText(request.query, 'show'));
    const { light: color } = app.brand.colors;
    const svg = renderBadge({ name, votes: text, label: `${name}: ${text}`, color, progress });
    if (isUnchangedImage(request, reply, hash('sha256', svg, 'hex').slice(0, 20))) return reply.send();
    return reply
      .type('image/svg+xml; charset=utf-8')
      .header('content-security-policy', IMAGE_POLICY)
      .send(svg);
  });
}

/** The logo of the site, or the mark of Votary. */
function drawableLogo({ favicon }: FastifyInstance['brand']): string {
  const isDrawable = favicon !== null && ['image/svg+xml', 'image/png'].includes(favicon.type);
  return isDrawable ? dataUrl(favicon.type, favicon.body) : dataUrl('image/svg+xml', MARK);
}

function dataUrl(type: string, bytes: Buffer): string {
  return `data:${type};base64,${bytes.toString('base64')}`;
}

/** Only the URL decides: an image is cached for all visitors, and a website shows it in its own language. */
function imageLocale(request: FastifyRequest): Locale {
  return chooseLocale({ parameter: firstText(request.query, 'locale') });
}

/** `show=goal` is the progress of the goal, if there is one; otherwise the votes of the month. */
function badgeFigure(
  { votes, goal }: Facts,
  locale: Locale,
  show: string | undefined,
): { text: string; progress: number | null } {
  if (show === 'goal' && goal !== null)
    return { text: goalLine(locale, goal), progress: progressRatio(goal) };
  return { text: sharingMessages[locale].badge(formatNumber(votes, locale), votes), progress: null };
}

function progressRatio({ votes, target }: GoalProgress): number {
  return Math.min(1, votes / target);
}

function cardContent(
  { name, tags, votes, rank, goal }: Facts,
  locale: Locale,
  { name: siteName, colors }: FastifyInstance['brand'],
): Omit<CardContent, 'icon' | 'banner' | 'logo'> {
  const text = sharingMessages[locale];
  return {
    name,
    tags,
    fallbackName: text.fallbackName,
    initials: initialsOf(name),
    usesSystemFonts: true,
    siteName,
    accent: colors.dark,
    votes: formatNumber(votes, locale),
    votesLabel: text.votesThisMonth(votes),
    rank: rank && text.rank(formatNumber(rank.place, locale)),
    rankLabel: rank ? text.rankOf(formatNumber(rank.of, locale)) : '',
    goal: goal && { text: goalLine(locale, goal), progress: progressRatio(goal) },
  };
}

/** Sets the headers of an image that other sites embed; true if the browser has it already. */
function isUnchangedImage(request: FastifyRequest, reply: FastifyReply, version: string): boolean {
  reply.headers({ 'cache-control': CACHED, 'cross-origin-resource-policy': 'cross-origin' });
  return isUnchanged(request, reply, version);
}

function refuse(reply: FastifyReply, status: number, retrySeconds: number): FastifyReply {
  reply.removeHeader('etag');
  return reply.code(status).headers({ 'cache-control': 'no-store', 'retry-after': retrySeconds }).send();
}
