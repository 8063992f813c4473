/** The child process of processes.ts: prepares, waits for "go", runs its task, responds, and exits. */
import { once } from 'node:events';
import { prepareTask, type Task } from './tasks.ts';

const task: Task = JSON.parse(process.env.TASK ?? '');
// Listens before the parent can know that this process is ready.
const go = once(process, 'message');
const { perform, close } = await prepareTask(task);
process.send?.('ready');
await go;
process.send?.(await perform());
await close();
process.disconnect?.();
