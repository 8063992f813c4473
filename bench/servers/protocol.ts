/** Communication between a server under test and the bench, over the IPC channel of a forked process. */

/** Resources used so far. CPU time counts all threads. */
export type Usage = { cpuMs: number; rssMb: number };

export type Announcement = { kind: 'listening'; url: string } | { kind: 'usage'; usage: Usage };

/** Sends the URL of this server to the bench, then responds to its messages. */
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

/** The argument that the bench passed to this process. */
export function readOptions<T>(): T {
  return JSON.parse(process.argv[2] ?? '{}');
}
