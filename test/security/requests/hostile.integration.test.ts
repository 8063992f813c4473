/** The first of the requests that hostile.ci.test.ts sends. */
import { test } from 'node:test';
import { assertHarmless } from './bombard.ts';

const REQUESTS = 500;

test(`${REQUESTS} hostile requests cause no 5xx, no HTML from the API, no stack trace, no hang and no CPU time above 50 ms`, (t) =>
  assertHarmless(t, { count: REQUESTS }));
