/** The first of the requests that plain.ci.test.ts sends. */
import { comparePlainVoteChecks } from './plain.ts';

comparePlainVoteChecks(800);
