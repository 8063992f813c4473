import type { StartedSite } from '../../support/browser/browser.ts';
import {
  dashboardPages,
  docsPages,
  operatorPages,
  publicPages,
  type Stop,
  votingPages,
  webhookPages,
} from './pages.ts';
import { refusedPages } from './refused-pages.ts';
import type { EndpointIds } from './seed.ts';

/** What `seed` has made: the time of its unusual votes, and its endpoints. */
export type Seeded = { castAt: number; endpoints: EndpointIds };

/** Every page by area. Pages are opened in this order, because some change what later ones show. */
export const AREAS: Record<string, (site: StartedSite, seeded: Seeded) => Stop[]> = {
  'public pages': publicPages,
  'pages of the documentation': docsPages,
  'pages of voters': votingPages,
  'pages of the dashboard': dashboardPages,
  'pages for webhooks': (site, { endpoints }) => webhookPages(site, endpoints),
  'pages of operators': (_site, { castAt }) => operatorPages(castAt),
  'pages that refuse a vote': refusedPages,
};
