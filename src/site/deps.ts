import type { Clock } from '../domain/clock.ts';
import type { Secrets } from '../domain/secrets.ts';
import type { FeedWaiters } from '../store/announce.ts';
import type { Tallies } from '../store/moderation/tallies.ts';
import type { RateLimit } from '../store/rates.ts';
import type { Store } from '../store/store.ts';
import type { Leaderboards } from '../store/votes/leaderboards.ts';
import type { Endpoints } from '../store/webhooks/admin.ts';
import type { Voting } from '../voting/cast-vote.ts';
import type { Downloads } from './docs/downloads.ts';
import type { SignIn, SignInLimits } from './sign-in/sign-in.ts';

/** The dependencies of the site. */
export type SiteDeps = {
  store: Store;
  leaderboards: Leaderboards;
  clock: Clock;
  secrets: Secrets;
  voting: Voting;
  signIn: SignIn;
  /** Of the API: requests per minute for each key. */
  rateLimit: RateLimit;
  /** Default: SIGN_IN_LIMITS. */
  signInLimits?: SignInLimits;
  webhooks: Endpoints;
  /** The public URL. If unset, the URL that the browser used. */
  publicUrl?: string | null;
  /** Discord ids of the users who can open the operator console. Default: none. */
  operators?: ReadonlySet<string>;
  tallies?: Tallies;
  /** How long votes are kept; null: forever. */
  keepVotesDays?: number | null;
  /** Whether the Discord app can change roles. Default: false. */
  hasVoterRoles?: boolean;
  /** Shared with the API. Without it the dashboard waits for votes on its own. */
  feedWaiters?: FeedWaiters;
  /** Default: STORED_DOWNLOADS. */
  downloads?: Downloads;
  /** Times and limits of live updates. */
  live?: Partial<LiveOptions>;
};

/** Times and limits of live updates (dashboard/live-channels.ts). */
export type LiveOptions = {
  lifetimeMs: number;
  /** How often a comment is sent, so that proxies keep the connection open. */
  heartbeatMs: number;
  /** How often deliveries are read while a page shows them. */
  deliveriesMs: number;
  /** The shortest time between two events of a community. */
  gapMs: number;
  maxPerUser: number;
  maxPerGuild: number;
};
