/** Every page of the site in the states that look different, and how to get there in any language. */
import type { Page } from 'playwright-core';
import { HOUR_MS } from '../../../src/domain/clock.ts';
import type { StartedSite } from '../../support/browser/browser.ts';
import {
  CASTLE,
  CHANNEL_URL,
  type EndpointIds,
  GUILD,
  GUILD_OF_CHARLIE,
  TOWER,
  UNLISTED,
  USER,
} from './seed.ts';

export type Stop = {
  path: string;
  /** The demo user who opens it. Default: nobody is signed in. */
  as?: 'Alex' | 'Sam' | 'Charlie';
  /** Default: 200. */
  status?: number;
  /** Changes the data before the page is opened. */
  prepare?(): Promise<unknown>;
  /** Opens or sends something on the page. */
  act?(page: Page): Promise<unknown>;
  /** A selector for what is only on the page in this state. */
  shows?: string;
  /** Its parts are also on another page of these lists, so only CI opens it. */
  isSimilar?: boolean;
};

const DASHBOARD = `/dashboard/${GUILD}`;
const WEBHOOKS = `${DASHBOARD}/webhooks`;
const PROFILE_FORM = `${DASHBOARD}/settings/profile`;
const WRONG_PROFILE = new URLSearchParams({
  description: 'http://x.example',
  tags: '!',
  language: 'x',
  invite: 'x',
});

/** The tabs that a sanctioned community shows without their forms. */
const SANCTIONED = ['?days=7', '/key', '/settings', '/votes', '/webhooks', '/activity'];

const openAll = (page: Page) =>
  page.evaluate('for (const part of document.querySelectorAll("details")) part.open = true');

const press = (selector: string) => (page: Page) => page.locator(selector).click();

export function publicPages(): Stop[] {
  return [
    { path: '/', shows: '.guilds' },
    { path: '/?q=nothing', shows: 'main .empty-state .muted', isSimilar: true },
    { path: '/sign-in', shows: '.demo-person' },
    { path: '/privacy', shows: 'table', isSimilar: true },
    { path: `/guild/${GUILD}`, shows: 'a[href="https://discord.gg/cafe"]' },
    { path: `/guild/${GUILD}/vote`, shows: '.goal progress' },
    { path: `/guild/${UNLISTED}`, shows: 'a[href="https://discord.gg/long"]' },
    { path: '/guild/1/vote', status: 404, shows: '.fault' },
    { path: '/nothing', status: 404, shows: '.fault', isSimilar: true },
    { path: `/guild/${CASTLE}/vote?external_id=`, status: 400, shows: '.fault', isSimilar: true },
  ];
}

export function votingPages({ store, clock }: StartedSite): Stop[] {
  const castEarlier = async () => {
    clock.advance(HOUR_MS);
    const userId = '200000000000000101';
    await store.votes.cast({
      guildId: TOWER,
      userId,
      castAt: clock(),
      externalId: 'Steve_42',
      isDoubled: true,
    });
  };
  const vote = `/guild/${CASTLE}/vote?external_id=Steve_42`;
  return [
    { path: vote, prepare: castEarlier, shows: 'a[href^="/sign-in?back"]' },
    { path: vote, as: 'Alex', shows: '.vote-form', isSimilar: true },
    {
      path: `/guild/${TOWER}/vote?external_id=Other&return_to=https://play.example.org`,
      as: 'Alex',
      shows: '[data-back]',
      isSimilar: true,
    },
    { path: vote, as: 'Alex', act: press('.vote-form button'), shows: '[role=timer]' },
    // Somebody else on the same network has to solve a challenge now.
    { path: vote, as: 'Charlie', act: untilSolved, shows: 'form[data-challenge]' },
  ];
}

async function untilSolved(page: Page): Promise<void> {
  const status = page.locator('[data-challenge-status]');
  const ready = await status.getAttribute('data-ready');
  await status.filter({ hasText: ready ?? 'the text of a solved challenge' }).waitFor();
}

export function dashboardPages({ store, clock }: StartedSite): Stop[] {
  const sanction = async () =>
    store.guilds.setSanction(GUILD, { since: clock(), reason: 'A test of the notice' });
  const stops: Omit<Stop, 'as'>[] = [
    {
      path: '/dashboard',
      prepare: () => store.guilds.setSanction(GUILD, null),
      shows: `a[href="${DASHBOARD}"]`,
    },
    { path: `${DASHBOARD}?days=7`, act: openAll, shows: '.unusual-chart' },
    { path: `${DASHBOARD}/key`, act: press('form[action$="/key/reveal"] button'), shows: '#key' },
    { path: `${DASHBOARD}/key?language=python#part-links`, shows: '#custom-link' },
    { path: `${DASHBOARD}/key#part-buttons`, shows: '#vote-button-html' },
    { path: `${DASHBOARD}/key/regenerate`, shows: 'form[action$="/key/new"]', isSimilar: true },
    { path: `${DASHBOARD}/votes?user=wrong`, shows: '#filter-error' },
    {
      path: `${DASHBOARD}/votes?user=${USER}`,
      act: (page) => page.locator('a[href*="/votes/release"]').first().click(),
      shows: 'form[action$="/votes/release"]',
      isSimilar: true,
    },
    { path: `${DASHBOARD}/votes`, shows: 'tbody tr', isSimilar: true },
    { path: `${DASHBOARD}/share`, shows: 'textarea, pre', isSimilar: true },
    { path: `${DASHBOARD}/settings`, shows: '#link-secret' },
    { path: `${PROFILE_FORM}?description=Hello`, shows: '.profile', isSimilar: true },
    { path: `${PROFILE_FORM}?${WRONG_PROFILE}`, shows: '#invite[aria-invalid]' },
    { path: `${DASHBOARD}/settings/banner`, shows: '#banner-file' },
    { path: `${DASHBOARD}/activity`, shows: 'tbody tr' },
    { path: PROFILE_FORM, shows: '#invite', isSimilar: true },
    {
      path: `${DASHBOARD}/votes?user=${USER}&external_id=Steve_42`,
      shows: '#filter-error',
      isSimilar: true,
    },
    ...SANCTIONED.map((tab) => ({
      ...{ path: DASHBOARD + tab, prepare: sanction, shows: '.notice' },
      isSimilar: tab !== '/settings',
    })),
  ];
  return [
    ...stops.map((stop): Stop => ({ ...stop, as: 'Alex' })),
    { path: '/dashboard', as: 'Sam', shows: 'main', isSimilar: true },
  ];
}

export function webhookPages({ store }: StartedSite, { disabled, channel, server }: EndpointIds): Stop[] {
  const lift = () => store.guilds.setSanction(GUILD, null);
  const first = `/dashboard/${GUILD_OF_CHARLIE}/webhooks`;
  const ofCharlie: Omit<Stop, 'as'>[] = [
    { path: `${first}?kind=votifier`, act: openAll, shows: '#token' },
    { path: `${first}?kind=topgg`, act: openAll, shows: '#secret', isSimilar: true },
    { path: first, act: (page) => add(page, 'https://10.0.0.1/votes'), shows: '#form-error' },
    {
      path: first,
      act: (page) => add(page, CHANNEL_URL).then(() => openAll(page)),
      shows: '.add-form textarea',
      isSimilar: true,
    },
  ];
  const ofAlex: Omit<Stop, 'as'>[] = [
    {
      path: WEBHOOKS,
      prepare: lift,
      act: openAll,
      shows: '.log .answer',
    },
    {
      path: WEBHOOKS,
      act: press(`form[action*="/${disabled}/test"] button`),
      shows: `#${disabled} [role=status]`,
      isSimilar: true,
    },
    {
      path: WEBHOOKS,
      act: press(`form[action*="/${disabled}/reveal"] button`),
      shows: `#${disabled} code[id]`,
      isSimilar: true,
    },
    ...['rotate', 'remove', 'edit'].map((action) => ({
      path: `${WEBHOOKS}/${disabled}/${action}`,
      shows: `form[action*="/${disabled}/${action}"]`,
      isSimilar: action !== 'edit',
    })),
    ...[channel, server].map((id) => ({
      path: `${WEBHOOKS}/${id}/edit`,
      act: openAll,
      shows: `form[action*="/${id}/edit"]`,
      isSimilar: id === server,
    })),
  ];
  return [
    ...ofCharlie.map((stop): Stop => ({ ...stop, as: 'Charlie' })),
    ...ofAlex.map((stop): Stop => ({ ...stop, as: 'Alex' })),
  ];
}

async function add(page: Page, url: string): Promise<void> {
  await page.locator('#url').fill(url);
  await page.locator('.add-form button').last().click();
  await page.locator('#form-error').waitFor();
}

async function createToken(page: Page): Promise<void> {
  await page.locator('#name').fill('Billing');
  await page.locator('input[type=checkbox]').first().check();
  await createNothing(page);
}

/** Without a name, which the browser would ask for, and without a scope. */
async function createNothing(page: Page): Promise<void> {
  await page.evaluate('document.querySelector("#name").required = false');
  await page.locator('form[action="/operator/tokens"] button').click();
}

/** Tables and forms like those of the other pages of operators. */
const OPERATOR_LISTS = ['/communities', '/voided', '/bans', '/ban?user_id=200000000000000008', '/tokens'];

export function operatorPages(castAt: number): Stop[] {
  const paths = {
    '': 'main',
    '/communities': `a[href="/operator/communities/${GUILD}"]`,
    [`/communities/${GUILD}`]: '#name',
    '/unusual': 'a[href^="/operator/void?"]',
    [`/void?guild_id=${GUILD}&at=${castAt}&user_id=${USER}`]: 'form[action="/operator/void"]',
    '/voided': 'form[action$="/restore"]',
    '/bans': 'tbody tr',
    '/ban?user_id=200000000000000008': 'form[action="/operator/bans"]',
    '/tokens': 'form[action$="/revoke"]',
    '/log': 'tbody tr',
  };
  return [
    ...Object.entries(paths).map(
      ([path, shows]): Stop => ({
        ...{ path: `/operator${path}`, as: 'Alex', shows },
        isSimilar: OPERATOR_LISTS.includes(path),
      }),
    ),
    { path: '/operator/ban?user_id=wrong', as: 'Alex', status: 400, shows: '[role=alert]', isSimilar: true },
    { path: '/operator/tokens', as: 'Alex', act: createToken, shows: '#new-token' },
    { path: '/operator/tokens', as: 'Alex', act: createNothing, shows: '#token-error', isSimilar: true },
  ];
}

export function docsPages(): Stop[] {
  return [
    { path: '/docs', shows: 'h2', isSimilar: true },
    { path: '/docs/guides', shows: 'main a', isSimilar: true },
    { path: '/docs/guides/webhooks', shows: 'pre' },
    { path: '/docs/clients', shows: 'main table, main a', isSimilar: true },
  ];
}
