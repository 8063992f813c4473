/**
 * A name server on this machine that knows the given names and does not respond for others until told to.
 *
 *   const names = await startNameServer({ 'bot.example': ['127.0.0.1', '::1'] });
 *   createResolver({ servers: [names.address] });
 *   await names.untilAsked(1);
 *   names.giveUp();   // everything unanswered does not exist
 */
import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

export type NameServer = {
  /** In the format of `Resolver.setServers`. */
  address: string;
  /** The number of queries. */
  asked(): number;
  untilAsked(count: number): Promise<void>;
  /** Responds to everything pending, and from now on to every query, with "no such name". */
  giveUp(): void;
  close(): void;
};

type Question = { message: Buffer; name: string; type: number; from: RemoteInfo };

/** An empty list: the name exists and has no address. */
export type Names = Record<string, readonly string[]>;

const TYPE_A = 1;
const TYPE_AAAA = 28;
const NO_SUCH_NAME = 3;

export async function startNameServer(
  names: Names = {},
  { port = 0, host = '127.0.0.1' } = {},
): Promise<NameServer> {
  const socket = createSocket('udp4');
  const unanswered: Question[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  let asked = 0;
  let hasGivenUp = false;
  const send = ({ from }: Question, answer: Buffer) => void socket.send(answer, from.port, from.address);
  socket.on('message', (message, from) => {
    const question = { ...readQuestion(message), from };
    asked += 1;
    const addresses = names[question.name];
    if (addresses) send(question, answerTo(question, addresses));
    else if (hasGivenUp) send(question, refusalOf(question));
    else unanswered.push(question);
    for (const { count, resolve } of waiting) if (asked >= count) resolve();
  });
  socket.bind(port, host);
  await once(socket, 'listening');
  return {
    address: `${host}:${socket.address().port}`,
    asked: () => asked,
    untilAsked(count) {
      if (asked >= count) return Promise.resolve();
      return new Promise((resolve) => waiting.push({ count, resolve }));
    },
    giveUp() {
      hasGivenUp = true;
      for (const question of unanswered.splice(0)) send(question, refusalOf(question));
    },
    close: () => void socket.close(),
  };
}

function readQuestion(message: Buffer): Omit<Question, 'from'> {
  const labels: string[] = [];
  let at = 12;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = message.readUInt16BE(at + 1);
  return { message: message.subarray(0, at + 5), name: labels.join('.').toLowerCase(), type };
}

function answerTo(question: Question, addresses: readonly string[]): Buffer {
  const fitting = addresses.filter((address) => isIPv4(address) === (question.type === TYPE_A));
  const records = question.type === TYPE_A || question.type === TYPE_AAAA ? fitting : [];
  return Buffer.concat([
    head(question, 0, records.length),
    ...records.map((one) => record(question.type, one)),
  ]);
}

function refusalOf(question: Question): Buffer {
  return head(question, NO_SUCH_NAME, 0);
}

/** The query sent back, marked as a response. */
function head({ message }: Question, status: number, answers: number): Buffer {
  const copy = Buffer.from(message);
  copy.writeUInt16BE(0x8180 | status, 2);
  copy.writeUInt16BE(answers, 6);
  // No authority and no additional records, regardless of the query.
  copy.writeUInt32BE(0, 8);
  return copy;
}

function record(type: number, address: string): Buffer {
  const data = Buffer.from(ipaddr.parse(address).toByteArray());
  const fields = Buffer.alloc(12);
  // The name is a pointer to the question, at byte 12.
  fields.writeUInt16BE(0xc00c, 0);
  fields.writeUInt16BE(type, 2);
  fields.writeUInt16BE(1, 4);
  fields.writeUInt32BE(60, 6);
  fields.writeUInt16BE(data.length, 10);
  return Buffer.concat([fields, data]);
}
