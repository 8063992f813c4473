/** The public page of a community. */

import { formatYearMonth, type Instant } from '../../domain/clock.ts';
import type { Guild, GuildProfile } from '../../domain/guild.ts';
import type { Locale } from '../../domain/locale.ts';
import type { GoalProgress } from '../../domain/votes/goal.ts';
import { votePath } from '../../domain/votes/vote-link.ts';
import type { Banner } from '../../store/guilds/banners.ts';
import type { MonthlyVotes } from '../../store/votes/votes.ts';
import { BANNER_SIZE } from '../banner/banner-size.ts';
import { goalView } from '../goal/goal.ts';
import { FIRST_PAGE, listPath } from '../home/listing.ts';
import { avatar, guildIcon, toneOf } from '../layout/avatar.ts';
import { formatMonth, formatNumber, formatShortMonth, languageName } from '../layout/format.ts';
import { type Content, type Html, html } from '../layout/html.ts';
import { type PageContext, renderPage } from '../layout/page.ts';
import { bannerPath, cardPath, iconPath, profilePath } from '../paths.ts';
import { shareLink } from '../sharing/share-link.ts';
import { profileMessages } from './messages.ts';

/** A voter by name, or null for one who has not agreed to appear by name. */
type Leader = { voter: { id: string; name: string } | null; votes: number };

/** The top voters of a month. */
export type Leaderboard = { month: Instant; leaders: readonly Leader[] };

export type ProfilePage = {
  guild: Guild;
  profile: GuildProfile;
  /** What its admins uploaded. */
  banner: Banner | undefined;
  isListed: boolean;
  /** The last twelve months, the current one last. */
  months: readonly MonthlyVotes[];
  /** Null for a community that is not in the listing. */
  rank: { place: number; of: number } | null;
  /** Null for a community without a goal. */
  goal: GoalProgress | null;
  /** The leaderboard of this month, then that of the last one. */
  leaderboards: readonly Leaderboard[];
};

export function renderProfilePage(context: PageContext, page: ProfilePage): string {
  const text = profileMessages[context.locale];
  const { guild, profile } = page;
  return renderPage(context, {
    title: guild.name,
    description: profile.description || text.description(guild.name),
    image: { path: cardPath(guild.guildId, context.locale), alt: guild.name },
    main: html`${profileHead(context.locale, page, 'h1')}
${!page.isListed && html`<p class="notice">${text.unlisted}</p>`}
${page.goal && html`<section class="card" aria-labelledby="goal">${goalView(context.locale, page.goal, 'h2')}</section>`}
${aboutSection(context.locale, profile)}
${figures(context.locale, page)}
${chart(context.locale, sinceFirstVote(page.months))}
<div class="leaderboards">${page.leaderboards.map((board) => leaderboard(context.locale, board))}</div>
${shareLink(context, guild, context.origin + profilePath(guild.guildId))}`,
    styles: ['profile.css', 'share.css', ...(page.goal ? ['progress.css'] : [])],
    scripts: ['share.js'],
    width: 'wide',
  });
}

/** Also used as the preview in the dashboard, where the name of the community is already the heading of the page. */
export function profileHead(
  locale: Locale,
  { guild, profile, banner }: Pick<ProfilePage, 'guild' | 'profile' | 'banner'>,
  heading: 'h1' | 'p',
): Html {
  const text = profileMessages[locale];
  const { description, tags, language, invite } = profile;
  const name = html`<bdi>${guild.name}</bdi>`;
  return html`<section class="card profile">
${banner ? uploadedBanner(guild, banner) : iconBanner(guild)}
${guildIcon(guild, 'huge')}
<div class="profile-words">
${heading === 'h1' ? html`<h1>${name}</h1>` : html`<p class="profile-name">${name}</p>`}
${description !== '' && html`<p class="profile-text" dir="auto"${language !== null && html` lang="${language}"`}>${description}</p>`}
${(tags.length > 0 || language !== null) && html`<ul class="tags">${language !== null && tag(languageName(language, locale), text.language, 'accent')}${tags.map((name) => tag(html`<a href="${listPath({ ...FIRST_PAGE, tag: name })}"><bdi>${name}</bdi></a>`, text.tag, ''))}</ul>`}
</div>
<div class="profile-actions"><a class="button large profile-vote" href="${votePath(guild.guildId)}">${text.vote}</a>
${invite !== null && html`<a class="button secondary" href="${invite}" rel="nofollow ugc noopener">${text.join}</a>`}</div>
</section>`;
}

function uploadedBanner({ guildId }: Guild, { version, alt }: Banner): Html {
  const { width, height } = BANNER_SIZE;
  return html`<div class="profile-banner picture"><img src="${bannerPath(guildId, version)}" alt="${alt}" width="${width}" height="${height}"></div>`;
}

/** In the colors of the icon: the icon itself, enlarged until only its colors are left. */
function iconBanner({ guildId, icon }: Guild): Html {
  const image = icon !== null && html`<img src="${iconPath(guildId, icon)}" alt="" width="128" height="128">`;
  return html`<div class="profile-banner tone-${toneOf(guildId)}" aria-hidden="true">${image}</div>`;
}

/** What the community says about itself at length, and where else it is. Empty if it says nothing. */
export function aboutSection(locale: Locale, { about, links, language }: GuildProfile): Content {
  if (about === '' && links.length === 0) return null;
  const text = profileMessages[locale];
  const list = html`<ul class="profile-links" aria-label="${text.links}">${links.map(
    (link) => html`<li><a href="${link}" rel="nofollow ugc noopener">${linkName(link)}</a></li>`,
  )}</ul>`;
  return html`<section class="card" aria-labelledby="about"><h2 id="about">${text.about}</h2>
${about !== '' && html`<p class="profile-about" dir="auto"${language !== null && html` lang="${language}"`}>${about}</p>`}
${links.length > 0 && list}</section>`;
}

/** The host and path of a link, which say where it leads. */
function linkName(link: string): string {
  const { host, pathname } = new URL(link);
  return `${host.replace(/^www\./, '')}${pathname === '/' ? '' : pathname}`;
}

function tag(name: Content, kind: string, tone: '' | 'accent'): Html {
  return html`<li class="badge ${tone}"><span class="visually-hidden">${kind} </span>${name}</li>`;
}

function figures(locale: Locale, { months, rank, isListed }: ProfilePage): Html {
  const text = profileMessages[locale];
  const [last, current] = months.slice(-2);
  const votes = (month: MonthlyVotes | undefined) => formatNumber(month?.votes ?? 0, locale);
  const name = (month: MonthlyVotes | undefined) => formatMonth(month?.month ?? 0, locale);
  return html`<dl class="profile-figures">
${figure(text.thisMonth, votes(current), name(current))}
${figure(text.lastMonth, votes(last), name(last))}
${rank ? figure(text.rank, text.ranked(formatNumber(rank.place, locale)), text.rankHint(formatNumber(rank.of, locale))) : figure(text.rank, text.notRanked, isListed ? '' : text.notRankedHint)}
</dl>`;
}

function figure(name: string, value: string, hint: string): Html {
  return html`<div class="card"><dt class="muted">${name}</dt><dd class="figure-value">${value}</dd><dd class="muted small-text">${hint}</dd></div>`;
}

/** Without the months before the first vote, so that a young community does not show an empty year. */
function sinceFirstVote(months: readonly MonthlyVotes[]): readonly MonthlyVotes[] {
  const first = months.findIndex(({ votes }) => votes > 0);
  return first === -1 ? [] : months.slice(first);
}

const BAR_WIDTH = 30;
const BAR_STEP = 40;
const BAR_LEFT = (BAR_STEP - BAR_WIDTH) / 2;
const CHART_HEIGHT = 160;
/** In pixels, if there is room: twelve months take the whole width. */
const MONTH_WIDTH = 100;
/** A month with few votes is still visible. */
const MIN_BAR = 2;

/** Drawn on the server, so that it needs no script. The table below has the same figures. */
function chart(locale: Locale, months: readonly MonthlyVotes[]): Html {
  const text = profileMessages[locale];
  if (months.length === 0)
    return html`<section class="card" aria-labelledby="chart"><div><h2 id="chart">${text.chart}</h2><p class="muted small-text">${text.chartEmpty}</p></div></section>`;
  const highest = Math.max(...months.map(({ votes }) => votes));
  const best = months.find(({ votes }) => votes === highest);
  const name = (month: MonthlyVotes | undefined) => formatMonth(month?.month ?? 0, locale);
  const summary = text.chartText(
    name(months[0]),
    name(months.at(-1)),
    name(best),
    formatNumber(highest, locale),
  );
  const bars = months.map((month, index) => {
    const { votes } = month;
    const height = votes === 0 ? 0 : Math.max(MIN_BAR, Math.round((votes / highest) * CHART_HEIGHT));
    return html`<g><title>${text.bar(name(month), formatNumber(votes, locale))}</title><rect class="bar-back" x="${index * BAR_STEP + BAR_LEFT}" width="${BAR_WIDTH}" height="${CHART_HEIGHT}"/><rect class="bar" x="${index * BAR_STEP + BAR_LEFT}" y="${CHART_HEIGHT - height}" width="${BAR_WIDTH}" height="${height}"/></g>`;
  });
  return html`<section class="card" aria-labelledby="chart"><div><h2 id="chart">${text.chart}</h2><p class="muted small-text">${text.chartHint}</p></div>
<div class="month-frame"><svg class="month-chart" width="${months.length * MONTH_WIDTH}" viewBox="0 0 ${months.length * BAR_STEP} ${CHART_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${summary}">${bars}</svg>
<ol class="months muted" aria-hidden="true">${months.map(({ month }) => html`<li>${formatShortMonth(month, locale)}</li>`)}</ol></div>
<details><summary>${text.asTable}</summary><table class="compact"><thead><tr><th scope="col">${text.month}</th><th scope="col" class="number">${text.votes}</th></tr></thead>
<tbody>${months.toReversed().map((month) => html`<tr><th scope="row">${name(month)}</th><td class="number">${formatNumber(month.votes, locale)}</td></tr>`)}</tbody></table></details></section>`;
}

function leaderboard(locale: Locale, { month, leaders }: Leaderboard): Html {
  const text = profileMessages[locale];
  const id = `leaders-${formatYearMonth(month)}`;
  return html`<section class="card" aria-labelledby="${id}"><h2 id="${id}">${text.leadersOf(formatMonth(month, locale))}</h2>
${leaders.length === 0 ? html`<p class="muted">${text.noVotes}</p>` : leaderTable(locale, leaders)}</section>`;
}

/** Voters who stay anonymous share one line at the end, without ranks. */
function leaderTable(locale: Locale, leaders: readonly Leader[]): Html {
  const text = profileMessages[locale];
  const named = leaders.flatMap(({ voter, votes }, index) =>
    voter ? [{ voter, votes, place: index + 1 }] : [],
  );
  const others = leaders.filter(({ voter }) => voter === null);
  const othersVotes = others.reduce((sum, { votes }) => sum + votes, 0);
  return html`<table class="compact leaders"><thead><tr><th scope="col" class="number"><span class="visually-hidden">${text.place}</span></th><th scope="col">${text.voter}</th><th scope="col" class="number">${text.votes}</th></tr></thead>
<tbody>${named.map(
    ({ voter, votes, place }) =>
      html`<tr><td class="number muted">${place}</td><td><span class="leader">${avatar(voter, 'small')}<bdi>${voter.name}</bdi></span></td><td class="number">${formatNumber(votes, locale)}</td></tr>`,
  )}${others.length > 0 && html`<tr><td></td><td><span class="muted">${text.anonymousVoters(others.length)}</span></td><td class="number">${formatNumber(othersVotes, locale)}</td></tr>`}</tbody></table>`;
}
