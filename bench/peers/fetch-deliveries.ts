/** The same POSTs with plain `fetch`: no queue, no signatures, no log. */
import { readOptions } from '../servers/protocol.ts';
import { offerTask } from '../servers/task.ts';

export type FetchOptions = { urls: string[]; body: string };

/** As many as the service sends at once. */
const AT_ONCE = 64;

const { urls, body } = readOptions<FetchOptions>();

offerTask(async (count) => {
  let sent = 0;
  const sender = async () => {
    while (sent < count) {
      const url = urls[sent % urls.length] ?? '';
      sent += 1;
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      await response.text();
      if (!response.ok) throw new Error(`${url} answered ${response.status}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
});
