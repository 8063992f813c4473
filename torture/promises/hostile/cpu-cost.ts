/** The CPU time of a server. Unlike elapsed time, it does not depend on what else runs on the machine. */

/** How much the server has used so far, in milliseconds. */
export type CpuMeter = () => Promise<number>;

/** No request may use more. */
export const CPU_LIMIT_MS = 50;

/** For a server in this process, together with the client. */
export const ownCpu: CpuMeter = async () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** For a server in another process, which is asked at its metrics port. */
export function cpuFromMetrics(port: number): CpuMeter {
  return async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const seconds = /^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1];
    if (seconds === undefined) throw new Error('the metrics do not contain the CPU time');
    return Number(seconds) * 1000;
  };
}

/** Sends requests and returns the CPU time that all of them used. */
export type Measure<Request> = (requests: readonly Request[]) => Promise<number>;

/** Repeated, because the first time may include the compiler or the garbage collector. */
const ATTEMPTS = 3;

/** Finds the requests above the limit among those that exceeded it together. */
export async function findCostly<Request>(
  requests: readonly Request[],
  measure: Measure<Request>,
): Promise<{ request: Request; cpuMs: number }[]> {
  const [request] = requests;
  if (request === undefined) return [];
  if (requests.length === 1) {
    const cpuMs = await leastOf(() => measure(requests));
    return cpuMs > CPU_LIMIT_MS ? [{ request, cpuMs }] : [];
  }
  const middle = Math.ceil(requests.length / 2);
  const found: { request: Request; cpuMs: number }[] = [];
  for (const half of [requests.slice(0, middle), requests.slice(middle)])
    if ((await measure(half)) > CPU_LIMIT_MS) found.push(...(await findCostly(half, measure)));
  return found;
}

/** Stops at the first value within the limit. */
async function leastOf(measure: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && least > CPU_LIMIT_MS; attempt += 1)
    least = Math.min(least, await measure());
  return least;
}
