import type { Clock } from '../domain/clock.ts';
import type { Secrets } from '../domain/secrets.ts';
import type { Store } from '../store/store.ts';
import type { Endpoints } from '../store/webhooks/admin.ts';
import type { SignIn } from './sign-in/sign-in.ts';
import type { SignInLimits } from './sign-in/sign-in-limits.ts';

/** What every part of the site is given. */
export type SiteDeps = {
  store: Store;
  clock: Clock;
  secrets: Secrets;
  signIn: SignIn;
  /** Default: SIGN_IN_LIMITS. */
  signInLimits?: SignInLimits;
  webhooks: Endpoints;
  /** Where people reach the site. Not set: wherever this browser reached it. */
  publicUrl?: string | null;
  /** Told of every vote that somebody tried to cast. */
  onVote(outcome: 'accepted' | 'refused'): void;
};
