import type { SiteDeps } from '../deps.ts';

export type DashboardDeps = Pick<
  SiteDeps,
  'store' | 'clock' | 'secrets' | 'signIn' | 'webhooks' | 'publicUrl'
>;
