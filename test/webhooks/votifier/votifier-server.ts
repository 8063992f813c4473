/**
 * A Votifier v2 server, written from the protocol: greeting with a challenge, one signed vote per connection, a JSON
 * reply. It rejects what NuVotifier rejects.
 *
 *   const server = await startVotifierServer({ token: 'secret' });
 *   server.behave = 'drop-answer';
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { after } from 'node:test';

export type ReceivedVote = { serviceName: string; username: string; address: string; timestamp: number };

/** How the server behaves; every mode except the first is a failure. */
type Behavior = 'answer' | 'drop-answer' | 'no-answer' | 'silent' | 'version-1' | 'http' | 'refuse';

export type VotifierServer = {
  address: string;
  votes: ReceivedVote[];
  connections: number;
  behave: Behavior;
  /** Stops accepting connections, and starts again on the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
};

const GREETINGS: Partial<Record<Behavior, string>> = {
  'version-1': 'VOTIFIER 1.9\n',
  http: 'HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n',
};
const MAX_FRAME = 1024;
const MAX_NAME = 16;

export async function startVotifierServer({
  token,
  tokens = { default: token },
}: {
  token: string;
  tokens?: Record<string, string>;
}): Promise<VotifierServer> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    serve(socket, state, tokens);
  });
  let port = 0;
  const state: VotifierServer = {
    address: '',
    votes: [],
    connections: 0,
    behave: 'answer',
    async start() {
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
      port = (server.address() as AddressInfo).port;
      state.address = `127.0.0.1:${port}`;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  await state.start();
  after(() => state.stop());
  return state;
}

let challenges = 0;

function serve(socket: Socket, state: VotifierServer, tokens: Record<string, string>): void {
  state.connections += 1;
  challenges += 1;
  if (state.behave === 'silent') return;
  if (state.behave === 'refuse') return void socket.destroy();
  const challenge = `challenge-${challenges}`;
  const greeting = GREETINGS[state.behave];
  socket.write(greeting ?? `VOTIFIER 2 ${challenge}\n`);
  if (greeting !== undefined) return;
  let frame: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    frame = Buffer.concat([frame, chunk]);
    if (frame.length < 4 || frame.length < 4 + frame.readUInt16BE(2)) return;
    const error = accept(frame, challenge, tokens, state.votes);
    if (state.behave === 'no-answer') return;
    if (state.behave === 'drop-answer') return void socket.destroy();
    const reply = error ? { status: 'error', cause: 'CorruptedFrameException', error } : { status: 'ok' };
    socket.end(`${JSON.stringify(reply)}\r\n`);
  });
}

function accept(
  frame: Buffer,
  challenge: string,
  tokens: Record<string, string>,
  votes: ReceivedVote[],
): string | undefined {
  if (frame.readUInt16BE(0) !== 0x733a) return 'Unknown magic';
  if (frame.length - 4 !== frame.readUInt16BE(2)) return 'Trailing bytes';
  if (frame.length > MAX_FRAME) return 'Frame too long';
  if (frame.subarray(4).some((byte) => byte > 0x7e || byte < 0x20)) return 'Not ASCII';
  const { payload, signature } = JSON.parse(frame.subarray(4).toString());
  const vote = JSON.parse(payload);
  if (vote.challenge !== challenge) return 'Challenge is not valid';
  const token = tokens[vote.serviceName] ?? tokens.default;
  if (token === undefined) return `Unknown service '${vote.serviceName}'`;
  const expected = createHmac('sha256', token).update(payload).digest();
  const given = Buffer.from(signature, 'base64');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    return 'Signature is not valid (invalid token?)';
  }
  if (vote.username.length > MAX_NAME) return 'Username too long';
  const { serviceName, username, address, timestamp } = vote;
  if (![serviceName, username, address].every((text) => typeof text === 'string' && text !== '')) {
    return 'Missing field';
  }
  votes.push({ serviceName, username, address, timestamp });
  return undefined;
}
