/** The load generator: a process of its own, which lives through the whole bench and takes one job after another. */
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';
import type { Job, JobResult } from './load.ts';
import type { PreparedRequest } from './requests.ts';

/** How many requests of the file one connection goes through in one job. */
const REQUESTS_PER_CONNECTION = 120;
const SAMPLE_MS = 50;

const files = new Map<string, PreparedRequest[]>();
let position = 0;

process.on('message', async (job: Job) => {
  process.send?.(await run(job).catch((error: unknown) => ({ failure: String(error) })));
});
process.on('disconnect', () => process.exit());

async function run({ url, requestsFile, connections, seconds }: Job): Promise<JobResult> {
  const requests = readRequests(requestsFile);
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    sampleInt: SAMPLE_MS,
    setupClient: (client) => client.setRequests(nextRequests(requests)),
  });
  const failed = result.errors + result.timeouts;
  return { requests: result.requests.total, seconds: result.duration, refused: result.non2xx, failed };
}

/** Every connection of every job goes on where the one before it stopped, so that no job repeats the last one. */
function nextRequests(requests: PreparedRequest[]): PreparedRequest[] {
  const count = Math.min(REQUESTS_PER_CONNECTION, requests.length);
  const chosen = Array.from({ length: count }, (_, i) => requests[(position + i) % requests.length]);
  position += count;
  return chosen.filter((request) => request !== undefined).map((request) => ({ ...request }));
}

function readRequests(path: string): PreparedRequest[] {
  const read = files.get(path) ?? JSON.parse(readFileSync(path, 'utf8'));
  files.set(path, read);
  return read;
}
