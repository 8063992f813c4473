import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import votifier2 from 'votifier2';
import { HOUR_MS, MINUTE_MS } from '../../../src/domain/clock.ts';
import { encodeVote, parseVotifierAddress, votifierName } from '../../../src/domain/webhooks/votifier.ts';
import { addGuild, voteOf } from '../../store/fixtures.ts';
import { claimDue } from '../../store/webhook-fixtures.ts';
import { type Fixture, openFixture } from '../fixture.ts';
import { startVotifierServer, type VotifierServer } from './votifier-server.ts';

const TOKEN = 'e1b9c7b0token';
let voters = 0;

async function openServer(fixture: Fixture, token = TOKEN) {
  const server = await startVotifierServer({ token: TOKEN });
  const guildId = await addGuild(fixture.store);
  const added = await fixture.endpoints.addEndpoint(
    guildId,
    { kind: 'votifier', url: server.address, token, events: ['vote_received'] },
    null,
  );
  assert.ok(added.ok);
  assert.equal(added.secret, null);
  return { server, guildId, endpointId: added.endpoint.endpointId, endpoint: added.endpoint };
}

async function vote({ store, clock }: Fixture, guildId: string, externalId: string | null): Promise<void> {
  voters += 1;
  const userId = String(320_000_000_000_000_000n + BigInt(voters));
  const cast = await store.votes.cast(voteOf(guildId, { userId, castAt: clock(), externalId }));
  assert.equal(cast.kind, 'accepted');
}

async function stateOf(fixture: Fixture, guildId: string) {
  const [record] = await fixture.log(guildId);
  return [record?.state, record?.lastAttempt?.error];
}

describe('a Votifier server', () => {
  test('accepts the reference client votifier2', async () => {
    const server = await startVotifierServer({ token: TOKEN });
    const [host = '', port] = server.address.split(':');
    const sent = { serviceName: 'Votary', username: 'Steve', address: '127.0.0.1', timestamp: 1 };
    const send = (token: string) =>
      new Promise<unknown>((resolve) =>
        votifier2({ host, port: Number(port), token, vote: { ...sent } }, resolve),
      );
    assert.equal(await send(TOKEN), null);
    assert.deepEqual(server.votes, [sent]);
    assert.ok((await send('wrong')) instanceof Error);
    assert.equal(server.votes.length, 1);
  });

  test('receives each vote with the name of the vote link', async () => {
    const fixture = await openFixture({ siteUrl: 'https://votes.example.org' });
    const { server, guildId } = await openServer(fixture);
    await vote(fixture, guildId, 'Steve');
    await fixture.worker.runDue();
    assert.deepEqual(server.votes, [
      {
        serviceName: 'votes.example.org',
        username: 'Steve',
        address: '127.0.0.1',
        timestamp: fixture.clock(),
      },
    ]);
    assert.deepEqual(await stateOf(fixture, guildId), ['delivered', null]);
  });

  test('is not sent votes that it cannot accept, and the log says why', async () => {
    const fixture = await openFixture();
    const { server, guildId, endpointId } = await openServer(fixture);
    for (const [name, reason] of [
      [null, 'NAME_MISSING'],
      ['a_name_of_17_chars', 'NAME_TOO_LONG'],
      ['not a name', 'NAME_NOT_MINECRAFT'],
      ['ab', 'NAME_NOT_MINECRAFT'],
    ] as const) {
      await vote(fixture, guildId, name);
      await fixture.worker.runDue();
      assert.deepEqual(await stateOf(fixture, guildId), ['skipped', reason]);
      fixture.clock.advance(1000);
    }
    assert.equal(server.connections, 0);
    const endpoint = await fixture.store.webhooks.findEndpoint(guildId, endpointId);
    assert.equal(endpoint?.failingSince, null);
  });

  test('that was down for an hour receives every vote once', async () => {
    const fixture = await openFixture();
    const { server, guildId } = await openServer(fixture);
    await server.stop();
    for (const name of ['Steve', 'Alex_', '.Bedrock']) await vote(fixture, guildId, name);
    for (let minute = 0; minute < 60; minute += 1) {
      await fixture.worker.runDue();
      fixture.clock.advance(MINUTE_MS);
    }
    assert.deepEqual(await stateOf(fixture, guildId), ['pending', 'CONNECTION_REFUSED']);
    await server.start();
    await fixture.endpoints.replay(guildId, { since: fixture.clock() - 2 * HOUR_MS });
    await fixture.worker.runDue();
    const names = server.votes.map(({ username }) => username).sort();
    assert.deepEqual(names, ['.Bedrock', 'Alex_', 'Steve']);
    // A replay does not resend delivered votes, because the server would count them twice.
    assert.equal(
      (await fixture.endpoints.replay(guildId, { since: fixture.clock() - 2 * HOUR_MS })).queued,
      0,
    );
  });

  for (const behavior of ['drop-answer', 'no-answer'] as const) {
    test(`whose response is lost (${behavior}) is not sent the vote again, except on request`, async () => {
      const fixture = await openFixture({ timeoutMs: behavior === 'no-answer' ? 300 : 15_000 });
      const { server, guildId, endpointId } = await openServer(fixture);
      server.behave = behavior;
      await vote(fixture, guildId, 'Steve');
      await fixture.worker.runDue();
      assert.deepEqual(await stateOf(fixture, guildId), ['uncertain', 'ANSWER_LOST']);
      server.behave = 'answer';
      fixture.clock.advance(24 * HOUR_MS);
      await fixture.worker.runDue();
      const [record] = await fixture.log(guildId);
      const eventId = record?.eventId ?? '';
      const replays = [{ since: 0 }, { eventId }].map((which) => fixture.endpoints.replay(guildId, which));
      assert.deepEqual(
        (await Promise.all(replays)).map(({ queued }) => queued),
        [0, 0],
      );
      assert.equal(server.votes.length, 1);
      assert.equal((await fixture.endpoints.replay(guildId, { eventId }, endpointId)).queued, 1);
      await fixture.worker.runDue();
      assert.equal(server.votes.length, 2);
      assert.deepEqual(await stateOf(fixture, guildId), ['delivered', null]);
    });
  }

  test('is not sent a vote again when the process ended before the result was recorded', async () => {
    const fixture = await openFixture();
    const { server, guildId } = await openServer(fixture);
    await vote(fixture, guildId, 'Steve');
    const now = fixture.clock();
    const request = { now, until: now + MINUTE_MS, guildIds: [guildId], except: [], limit: 1 };
    const [claimed] = await claimDue(fixture.store, request);
    assert.ok(claimed);
    assert.equal(await fixture.store.webhooks.markSent(claimed), true);
    fixture.clock.advance(HOUR_MS);
    await fixture.worker.runDue();
    assert.equal(server.connections, 0);
    assert.equal((await fixture.log(guildId))[0]?.state, 'uncertain');
  });
});

describe('a vote that was not sent', () => {
  const vote = { serviceName: 'a', username: 'Steve', timestamp: 1 };

  test('can be retried if the server closed the connection before', async () => {
    const [{ sendVote }, server] = [await openFixture(), await startVotifierServer({ token: TOKEN })];
    const beforeWrite = async () => {
      await server.stop();
      // The client's socket notices it in a later tick of the event loop.
      for (let turn = 0; turn < 20; turn += 1) await nextTurn();
      return true;
    };
    const result = await sendVote({ url: `votifier://${server.address}`, token: TOKEN, vote, beforeWrite });
    assert.equal(result.error, 'CONNECTION_CLOSED');
    await server.start();
  });

  test('is not uncertain if the service stops before', async () => {
    const [{ sendVote }, server] = [await openFixture(), await startVotifierServer({ token: TOKEN })];
    const stop = new AbortController();
    const beforeWrite = async () => {
      stop.abort();
      return true;
    };
    const message = { url: `votifier://${server.address}`, token: TOKEN, vote, beforeWrite };
    const { error } = await sendVote(message, stop.signal);
    assert.notEqual(error, 'ANSWER_LOST');
    assert.equal(server.votes.length, 0);
  });
});

describe('a test of a Votifier server', () => {
  const test_ = async (fixture: Fixture, guildId: string, endpointId: string) => {
    const sent = await fixture.endpoints.sendTest(guildId, endpointId);
    assert.ok(sent.sent);
    return sent.result;
  };

  test('sends a vote with a name that no player has', async () => {
    const fixture = await openFixture();
    const { server, guildId, endpointId } = await openServer(fixture);
    const { isDelivered, error } = await test_(fixture, guildId, endpointId);
    assert.deepEqual([isDelivered, error], [true, null]);
    assert.equal(server.votes[0]?.username, 'Votary_Test');
  });

  const faults: [string, (server: VotifierServer) => unknown, string][] = [
    ['nothing listens there', (server) => server.stop(), 'CONNECTION_REFUSED'],
    ['it speaks HTTP', (server) => Object.assign(server, { behave: 'http' }), 'NOT_VOTIFIER'],
    ['it sends nothing', (server) => Object.assign(server, { behave: 'silent' }), 'VOTIFIER_SILENT'],
    ['it disconnects', (server) => Object.assign(server, { behave: 'refuse' }), 'CONNECTION_CLOSED'],
    ['it speaks version 1 only', (server) => Object.assign(server, { behave: 'version-1' }), 'VOTIFIER_V1'],
    ['the response is lost', (server) => Object.assign(server, { behave: 'drop-answer' }), 'ANSWER_LOST'],
  ];
  for (const [problem, cause, expected] of faults) {
    test(`explains that ${problem}`, async () => {
      const fixture = await openFixture({ timeoutMs: 500 });
      const { server, guildId, endpointId } = await openServer(fixture);
      await cause(server);
      const { isDelivered, error } = await test_(fixture, guildId, endpointId);
      assert.deepEqual([isDelivered, error], [false, expected]);
    });
  }

  test('explains a wrong token, and shows the message of the server', async () => {
    const fixture = await openFixture();
    const { guildId, endpointId } = await openServer(fixture, 'wrong');
    const { error, answer } = await test_(fixture, guildId, endpointId);
    assert.equal(error, 'VOTIFIER_WRONG_TOKEN');
    assert.match(answer, /Signature is not valid/);
  });

  test('explains that the server has no token for the service', async () => {
    const fixture = await openFixture();
    const { guildId, endpoint } = await openServer(fixture);
    const server = await startVotifierServer({ token: TOKEN, tokens: { Other: TOKEN } });
    const url = server.address;
    assert.equal(
      (await fixture.endpoints.editEndpoint(guildId, endpoint.endpointId, { url }, null)).ok,
      true,
    );
    const { error } = await test_(fixture, guildId, endpoint.endpointId);
    assert.equal(error, 'VOTIFIER_UNKNOWN_SERVICE');
  });
});

describe('the address of a Votifier server', () => {
  const site = { allowsLoopback: false };
  test('is host and port, 8192 by default', () => {
    const parse = (text: string) => parseVotifierAddress(text, site);
    assert.deepEqual(parse('MC.example.org'), { ok: true, url: 'votifier://mc.example.org:8192' });
    assert.deepEqual(parse(' mc.example.org:25580 '), { ok: true, url: 'votifier://mc.example.org:25580' });
    assert.deepEqual(parse('[2606:4700::1111]:8192'), { ok: true, url: 'votifier://[2606:4700::1111]:8192' });
  });

  test('is rejected in private networks, at system ports, and if it is malformed', () => {
    const fault = (text: string) => {
      const parsed = parseVotifierAddress(text, site);
      return parsed.ok ? parsed.url : parsed.fault;
    };
    for (const text of [
      '127.0.0.1',
      '0x7f.1:8192',
      'localhost:8192',
      '10.0.0.1:8192',
      '[::1]:8192',
      'mc.lan',
    ]) {
      assert.equal(fault(text), 'private-address', text);
    }
    assert.equal(fault('mc.example.org:22'), 'forbidden-port');
    for (const text of [
      '',
      'a b',
      'https://mc.example.org',
      'mc.example.org:99999',
      'user@mc.example.org',
      'a/b',
    ]) {
      assert.equal(fault(text), 'not-a-url', text);
    }
  });

  test('is checked again when a vote is sent', async () => {
    const fixture = await openFixture({ resolve: async () => [{ address: '10.0.0.1', family: 4 }] });
    const result = await fixture.sendVote({
      url: 'votifier://rebind.example:8192',
      token: TOKEN,
      vote: { serviceName: 'a', username: 'Steve', timestamp: 1 },
      beforeWrite: async () => assert.fail('must not connect'),
    });
    assert.equal(result.error, 'PRIVATE_ADDRESS');
  });
});

test('names of Java and Bedrock players can be sent', () => {
  for (const name of ['Bob', 'Steve', 'a_name_of_16_chr', '.Bedrock_Name', '*Other']) {
    assert.deepEqual(votifierName(name), { name });
  }
});

test('the longest vote fits into a frame of 1024 bytes, in ASCII', () => {
  const vote = { serviceName: 's'.repeat(64), username: 'n'.repeat(16), timestamp: 8_640_000_000_000_000 };
  const frame = encodeVote(vote, 'c'.repeat(64), TOKEN);
  assert.ok(frame.length <= 1024);
});
