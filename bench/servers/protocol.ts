/** How a server under test and the bench speak: over the channel that a forked process has to its parent. */

/** What a server has used so far. Processor time counts all of its threads. */
export type Usage = { cpuMs: number; rssMb: number };

export type Announcement = { kind: 'listening'; url: string } | { kind: 'usage'; usage: Usage };

/** Tells the bench where this server listens, and answers its questions from then on. */
export function announce(url: string): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    send({
      kind: 'usage',
      usage: { cpuMs: (user + system) / 1000, rssMb: process.memoryUsage.rss() / 2 ** 20 },
    });
  });
  process.on('disconnect', () => process.exit());
  send({ kind: 'listening', url });
}

function send(message: Announcement): void {
  process.send?.(message);
}

/** What the bench passed to this process. */
export function readOptions<T>(): T {
  return JSON.parse(process.argv[2] ?? '{}');
}
