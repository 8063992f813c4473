import { comparePlainVoteChecks } from './plain.ts';

comparePlainVoteChecks(3000);
