/** The load generator: one process for the whole bench that runs one job after another. */
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';
import type { Job, JobResult } from './load.ts';
import type { PreparedRequest } from './requests.ts';

/** The number of requests from the file that one connection sends in one job. */
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

/** Each connection continues where the previous one stopped, so no job repeats the last one. */
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
