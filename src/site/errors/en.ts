import { DASHBOARD_LIMITS } from '../dashboard/access.ts';
import type { PageFault, PageText } from './page-error.ts';

export const en: Record<PageFault, PageText> = {
  NOT_FOUND: {
    title: 'Page not found',
    text: 'This page does not exist. Check the link, or start from the list of communities.',
  },
  GUILD_NOT_FOUND: {
    title: 'Community not found',
    text: 'This community is not listed here. The link may be wrong, or the community may have been removed.',
  },
  FORBIDDEN: {
    title: 'Access denied',
    text: 'You need the Administrator permission in this community. Ask its owner, or sign in with another account.',
    action: 'Sign in with another account',
  },
  SANCTIONED: {
    title: 'This community is sanctioned',
    text: 'Nothing was changed. The dashboard is read-only while the sanction is active. Contact the operator of this site.',
  },
  OPERATORS_ONLY: {
    title: 'Access denied',
    text: 'This page is for the operators of this site. They are listed in VOTARY_OPERATORS.',
    action: 'Sign in with another account',
  },
  MAINTENANCE: {
    title: 'No votes for the moment',
    text: 'The operator of this site is working on it, so votes are not accepted right now. Nothing was counted, and you can vote as soon as the work is done.',
    action: 'Try again',
  },
  STALE_FORM: {
    title: 'This page has expired',
    text: 'Nothing was changed. Reload the page and try again.',
    action: 'Reload the page',
  },
  CROSS_SITE_FORM: {
    title: 'This form was sent by another site',
    text: 'Nothing was changed. Use the form on this site instead.',
  },
  BAD_EXTERNAL_ID: {
    title: 'This vote link is not valid',
    text: 'Nothing was counted. Go back to the game or website where you found the link and ask for a new one. For its developers: external_id must be a single value of 1 to 191 characters, without control characters.',
    action: 'See the community',
  },
  BAD_RETURN_ADDRESS: {
    title: 'This vote link is not valid',
    text: 'Nothing was counted. Go back to the game or website where you found the link and ask for a new one. For its developers: return_to must be a complete https:// URL.',
    action: 'See the community',
  },
  LINK_NOT_SIGNED: {
    title: 'Open this page from the game or its website',
    text: 'This community only accepts votes through its own links. Go back to the game or the website of the community and follow its vote link.',
    action: 'See the community',
  },
  LINK_SIGNATURE_WRONG: {
    title: 'This vote link does not work',
    text: 'It was modified, or signed with an old secret. Go back to the game or the website of the community and follow its vote link again.',
    action: 'See the community',
  },
  LINK_EXPIRED: {
    title: 'This vote link has expired',
    text: 'Nothing was counted. Go back to the game or the website of the community to get a new link, then vote.',
    action: 'See the community',
  },
  BAD_FORM: {
    title: 'The form is not valid',
    text: 'A field is missing or has a value that is not allowed. Go back, reload the page and try again.',
  },
  TOO_MANY_STREAMS: {
    title: 'Too many open pages',
    text: 'This page is open too many times to update automatically. Reload it to see what is new.',
  },
  DOWNLOAD_RUNNING: {
    title: 'One download at a time',
    text: 'You already have a download in progress. Wait until it finishes or cancel it, then try again.',
  },
  TOO_MANY_TESTS: {
    title: 'Too many test events',
    text: `A community can send ${DASHBOARD_LIMITS.TOO_MANY_TESTS.requests} test events per hour. Nothing was sent.`,
    action: 'Go back',
  },
  TOO_MANY_RESENDS: {
    title: 'Too many resent events',
    text: `A community can resend ${DASHBOARD_LIMITS.TOO_MANY_RESENDS.requests} single events per hour. Nothing was sent. To resend many events at once, choose a period.`,
    action: 'Go back',
  },
  TOO_MANY_REPLAYS: {
    title: 'Too many replays',
    text: `A community can replay a period ${DASHBOARD_LIMITS.TOO_MANY_REPLAYS.requests} times per hour. Nothing was sent.`,
    action: 'Go back',
  },
  TOO_MANY_REVEALS: {
    title: 'Too many reveals',
    text: `The API key and the secrets of a community can be revealed ${DASHBOARD_LIMITS.TOO_MANY_REVEALS.requests} times per hour.`,
    action: 'Go back',
  },
  TOO_MANY_ENDPOINTS: {
    title: 'Too many new endpoints',
    text: `A community can add ${DASHBOARD_LIMITS.TOO_MANY_ENDPOINTS.requests} endpoints per day. You can still edit existing endpoints.`,
    action: 'Go back',
  },
  TOO_MANY_CHANGES: {
    title: 'Too many changes',
    text: `The settings and webhooks of a community can be changed ${DASHBOARD_LIMITS.TOO_MANY_CHANGES.requests} times per hour. Nothing was changed.`,
    action: 'Go back',
  },
  FORM_TOO_LARGE: {
    title: 'The form is too large',
    text: 'Nothing was changed. Go back, shorten the text and try again.',
  },
  SIGN_IN_DENIED: {
    title: 'Sign-in was canceled',
    text: 'You declined the request on Discord. You can try again at any time.',
    action: 'Try again',
  },
  SIGN_IN_STALE: {
    title: 'This sign-in has expired',
    text: 'It was started too long ago or in another browser. Please sign in again.',
    action: 'Sign in',
  },
  SIGN_IN_UNAVAILABLE: {
    title: 'Discord is not responding',
    text: 'Sign-in is not possible right now. Please try again in a few minutes.',
    action: 'Try again',
  },
  SIGN_IN_PAUSED: {
    title: 'Sign-in is unavailable right now',
    text: 'Discord is rate limiting this site.',
    action: 'Try again',
  },
  TOO_MANY_SIGN_INS: {
    title: 'Too many sign-in attempts',
    text: 'There were too many sign-in attempts from your network.',
  },
  SIGN_IN_NOT_CONFIGURED: {
    title: 'Sign-in is not set up yet',
    text: 'The operator of this site must set VOTARY_DISCORD_CLIENT_ID and VOTARY_DISCORD_CLIENT_SECRET.',
  },
  SIGN_IN_ENDED: {
    title: 'You are no longer signed in',
    text: 'Nothing was changed. Sign in again and retry.',
    action: 'Sign in',
  },
  DEMO_FROM_OUTSIDE: {
    title: 'The demo only works locally',
    text: 'This request came through a proxy or from another site. Open the demo directly, in a browser on the machine that runs it. For real sign-in, set VOTARY_DISCORD_CLIENT_ID and VOTARY_DISCORD_CLIENT_SECRET.',
  },
  UNAVAILABLE: {
    title: 'Temporarily unavailable',
    text: 'The service cannot reach its database right now. Nothing was changed.',
    action: 'Try again',
  },
  BROKEN: {
    title: 'Something went wrong',
    text: 'The error is on our side. Please try again in a moment.',
    action: 'Try again',
  },
};
