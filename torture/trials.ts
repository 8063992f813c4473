import type { Trial } from './lib/promise.ts';
import { copyTrial } from './promises/databases/copy.ts';
import { failoverTrial } from './promises/databases/failover.ts';
import { logDiskFullTrial } from './promises/databases/log-disk-full.ts';
import { postgresFaultsTrial } from './promises/databases/postgres-faults.ts';
import { sqliteFaultsTrial } from './promises/databases/sqlite-faults.ts';
import { hostileTrial } from './promises/hostile/hostile-input.ts';
import { slowClientsTrial } from './promises/load/slow-clients.ts';
import { slowDnsTrial } from './promises/load/slow-dns.ts';
import { slowReadersTrial } from './promises/load/slow-readers.ts';
import { soakTrial } from './promises/load/soak.ts';
import { crashTrials } from './promises/restarts/crash.ts';
import { rollingRestartTrial } from './promises/restarts/rolling-restart.ts';
import { stopTrial } from './promises/restarts/stop.ts';
import { accessTrial } from './promises/secrets/access.ts';
import { keyChangeTrials } from './promises/secrets/key-change.ts';
import { rotationTrial } from './promises/secrets/rotation.ts';
import { migrationsTrial } from './promises/upgrades/migrations.ts';
import { claimsOnceTrial } from './promises/votes/claims-once.ts';
import { farmTrial } from './promises/votes/farm.ts';
import { feedCompleteTrial } from './promises/votes/feed-complete.ts';
import { feedRestoredTrial } from './promises/votes/feed-restored.ts';
import { goalsOnceTrial } from './promises/votes/goals-once.ts';
import { raceTrials } from './promises/votes/race.ts';
import { rewardsOnceTrial } from './promises/votes/rewards-once.ts';

/** Every promise, in the order in which they are tested. */
export const TRIALS: readonly Trial[] = [
  ...crashTrials,
  migrationsTrial,
  rotationTrial,
  copyTrial,
  stopTrial,
  rollingRestartTrial,
  postgresFaultsTrial,
  failoverTrial,
  sqliteFaultsTrial,
  logDiskFullTrial,
  ...raceTrials,
  claimsOnceTrial,
  rewardsOnceTrial,
  feedCompleteTrial,
  feedRestoredTrial,
  goalsOnceTrial,
  ...keyChangeTrials,
  farmTrial,
  hostileTrial,
  slowClientsTrial,
  slowReadersTrial,
  slowDnsTrial,
  accessTrial,
  soakTrial,
];
