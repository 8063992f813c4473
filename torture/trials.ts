import type { Trial } from './lib/promise.ts';
import { accessTrial } from './promises/access.ts';
import { claimsOnceTrial } from './promises/claims-once.ts';
import { crashTrials } from './promises/crash.ts';
import { failoverTrial } from './promises/failover.ts';
import { farmTrial } from './promises/farm.ts';
import { feedCompleteTrial } from './promises/feed-complete.ts';
import { hostileTrial } from './promises/hostile-input.ts';
import { keyChangeTrials } from './promises/key-change.ts';
import { logDiskFullTrial } from './promises/log-disk-full.ts';
import { migrationsTrial } from './promises/migrations.ts';
import { postgresFaultsTrial } from './promises/postgres-faults.ts';
import { raceTrials } from './promises/race.ts';
import { rollingRestartTrial } from './promises/rolling-restart.ts';
import { rotationTrial } from './promises/rotation.ts';
import { slowClientsTrial } from './promises/slow-clients.ts';
import { slowDnsTrial } from './promises/slow-dns.ts';
import { slowReadersTrial } from './promises/slow-readers.ts';
import { soakTrial } from './promises/soak.ts';
import { sqliteFaultsTrial } from './promises/sqlite-faults.ts';
import { stopTrial } from './promises/stop.ts';

/** Every promise, in the order in which they are tested. */
export const TRIALS: readonly Trial[] = [
  ...crashTrials,
  migrationsTrial,
  rotationTrial,
  stopTrial,
  rollingRestartTrial,
  postgresFaultsTrial,
  failoverTrial,
  sqliteFaultsTrial,
  logDiskFullTrial,
  ...raceTrials,
  claimsOnceTrial,
  feedCompleteTrial,
  ...keyChangeTrials,
  farmTrial,
  hostileTrial,
  slowClientsTrial,
  slowReadersTrial,
  slowDnsTrial,
  accessTrial,
  soakTrial,
];
