import { once } from 'node:events';
import { connect } from 'node:net';

/** Whether a program accepts connections on this port of this machine. */
export async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isOpen;
}
