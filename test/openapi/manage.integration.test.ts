/** The OpenAPI document of the management API, and its responses compared with it. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { MANAGE_ERROR_STATUS } from '../../src/api/errors/responses.ts';
import { DAY_MS } from '../../src/domain/clock.ts';
import { StoreUnavailableError } from '../../src/store/store.ts';
import { type Call, type Live, type LiveAnswer, startLive, USER } from './live-server.ts';
import { type Published, readPublished, toPointer } from './published.ts';
import { brokenRules } from './redocly.ts';

const GUILD = '100000000000000001';
const NEW_GUILD = '100000000000000002';
const UNKNOWN = '100000000000000009';

let live: Live;
let document: string;
let published: Published;
/** `<method> <path> <status> <code>` of every response that was seen; the code of a success is `ok`. */
const seen = new Set<string>();

before(async () => {
  live = await startLive();
  document = (await live.call('/manage/v1/openapi.json', { key: null })).body;
  published = readPublished(document);
});
after(() => live.stop());

/** Sends a request, compares the response with the document, and records it. */
async function ask(operation: string, path: string, options: Call = {}): Promise<LiveAnswer> {
  const [method = '', pattern = ''] = operation.split(' ');
  const answer = await live.call(`/manage/v1${path}`, { method, key: live.token, ...options });
  const documented = `${method} /manage/v1${pattern}`;
  published.check(documented, answer);
  const { error, errors } = JSON.parse(answer.body);
  seen.add(`${documented} ${answer.status} ${error ?? (errors ? 'validation' : 'ok')}`);
  return answer;
}

const json = (body: object, headers: Record<string, string> = {}): Call => ({
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json', ...headers },
});

test('redocly reports no problems in the document', async (t) => {
  assert.deepEqual(await brokenRules(t, document), []);
});

test('every example is valid according to its schema', () => {
  let examples = 0;
  for (const [path, operations] of Object.entries(published.document.paths)) {
    for (const [method, { responses }] of Object.entries(operations)) {
      for (const [status, { content }] of Object.entries(responses)) {
        const media = ['paths', path, method, 'responses', status, 'content', 'application/json', 'schema'];
        for (const { value } of Object.values(content?.['application/json']?.examples ?? {})) {
          published.validate(toPointer(media), value);
          examples += 1;
        }
      }
    }
  }
  assert.ok(examples > 100);
});

test('it does not mention the key of communities in URLs', () => {
  assert.deepEqual(published.document.security, [{ token: [] }]);
  assert.ok(!document.includes('api_token'));
});

describe('responses are as documented', { concurrency: false }, () => {
  const guild = 'GET /guilds/{guild_id}';
  const patch = 'PATCH /guilds/{guild_id}';
  const remove = 'DELETE /guilds/{guild_id}';
  const newKey = 'POST /guilds/{guild_id}/key';
  const noKey = 'DELETE /guilds/{guild_id}/key';
  const vote = { guild_id: GUILD, user_id: '200000000000000055' };

  test('responses about communities match the document', async () => {
    await ask('POST /guilds', '/guilds', json({ guild_id: NEW_GUILD, name: 'New' }));
    await ask('POST /guilds', '/guilds', json({ guild_id: NEW_GUILD, name: 'New' }));
    await ask('POST /guilds', '/guilds', json({}));
    await ask('GET /guilds', '/guilds?limit=1');
    await ask('GET /guilds', '/guilds?limit=0');
    await ask('GET /guilds', '/guilds?cursor=x');
    await ask(guild, `/guilds/${NEW_GUILD}`);
    await ask(guild, `/guilds/${UNKNOWN}`);
    const goal = { period: 'party', target: 50 };
    const change = { sanction: { reason: 'x' }, rate_limit: 9, premium_until: '2027-01-01' };
    await ask(patch, `/guilds/${NEW_GUILD}`, json({ ...change, player_names: 'minecraft', goal }));
    await ask(patch, `/guilds/${NEW_GUILD}`, json({ goal: { period: 'party' } }));
    await ask(patch, `/guilds/${NEW_GUILD}`, json({ premium_until: 'x' }));
    await ask(patch, `/guilds/${NEW_GUILD}`, json({ listed: 1 }));
    await ask(patch, `/guilds/${UNKNOWN}`, json({}));
    await ask(newKey, `/guilds/${NEW_GUILD}/key`);
    await ask(newKey, `/guilds/${UNKNOWN}/key`);
    await ask(noKey, `/guilds/${NEW_GUILD}/key`);
    await ask(noKey, `/guilds/${UNKNOWN}/key`);
    await ask(remove, `/guilds/${NEW_GUILD}`);
    await ask(remove, `/guilds/${NEW_GUILD}?confirm=${NEW_GUILD}`);
    await ask(remove, `/guilds/${NEW_GUILD}?confirm=${NEW_GUILD}`);
  });

  test('responses to votes match the document', async () => {
    await ask('POST /votes', '/votes', json({ ...vote, user_id: 'x' }));
    await ask('POST /votes', '/votes', json(vote, { 'idempotency-key': 'v1' }));
    const replayed = await ask('POST /votes', '/votes', json(vote, { 'idempotency-key': 'v1' }));
    assert.equal(replayed.headers['idempotent-replayed'], 'true');
    const other = { ...vote, external_id: 'x' };
    await ask('POST /votes', '/votes', json(other, { 'idempotency-key': 'v1' }));
    await ask('POST /votes', '/votes', json(vote));
    const young = String(BigInt(live.clock() - DAY_MS - 1_420_070_400_000) << 22n);
    await ask('POST /votes', '/votes', json({ ...vote, user_id: young }));
    await ask('POST /votes', '/votes', json({ ...vote, guild_id: UNKNOWN }));
    await live.store.maintenance.begin({ since: live.clock(), message: null });
    live.clock.advance(1000);
    await ask('POST /votes', '/votes', json(vote));
    await live.store.maintenance.end();
  });

  test('responses about bans and voided votes match the document', async () => {
    await ask('POST /bans', '/bans', json({ user_id: '200000000000000077' }));
    await ask('POST /bans', '/bans', json({ user_id: USER, until: '2020-01-01' }));
    await ask('POST /bans', '/bans', json({}));
    await ask('GET /bans', '/bans');
    await ask('GET /bans', '/bans?cursor=x');
    await ask('GET /bans', '/bans?limit=0');
    await ask('DELETE /bans/{user_id}', '/bans/200000000000000077');
    await ask('DELETE /bans/{user_id}', '/bans/200000000000000077');
    await ask('DELETE /bans/{user_id}', '/bans/x');
    const voids = (body: object) => ask('POST /voids', '/voids', json({ guild_id: GUILD, ...body }));
    await voids({ user_id: USER, dry_run: true });
    const { batch } = JSON.parse((await voids({ user_id: USER })).body);
    await voids({});
    await voids({ user_id: USER, mark: 'shared_name' });
    await voids({ user_id: USER, from: 'x' });
    await voids({ user_id: USER, from: '2026-11-02', to: '2026-11-01' });
    await voids({ mark: 'x' });
    await voids({ guild_id: UNKNOWN, user_id: USER });
    await voids({ network_of: `vote_${'0'.repeat(32)}` });
    await ask('DELETE /voids/{batch}', `/voids/${batch}`);
    await ask('DELETE /voids/{batch}', '/voids/void_0');
  });

  test('responses about users match the document', async () => {
    await ask('GET /users/{user_id}', `/users/${USER}`);
    await ask('GET /users/{user_id}', `/users/${UNKNOWN}`);
    await ask('GET /users/{user_id}', '/users/x');
    await ask('DELETE /users/{user_id}', `/users/${USER}`);
    await ask('DELETE /users/{user_id}', `/users/${USER}`);
    await ask('DELETE /users/{user_id}', '/users/x');
  });

  test('errors that every operation can return match the document', async () => {
    const readOnly = await live.newToken([]);
    for (const [path, operations] of Object.entries(published.document.paths)) {
      const pattern = path.replace('/manage/v1', '');
      const address = pattern
        .replace('{guild_id}', GUILD)
        .replace('{user_id}', USER)
        .replace('{batch}', 'void_0');
      for (const [method, { security, requestBody, parameters = [] }] of Object.entries(operations)) {
        const operation = `${method.toUpperCase()} ${pattern}`;
        if (!security) {
          await ask(operation, address, { key: null });
          await ask(operation, address, { key: 'vto_wrong' });
          await ask(operation, address, { key: readOnly });
          await ask(operation, `${address}?locale=fr&locale=en`);
        } else await ask(operation, address);
        if (requestBody) {
          await ask(operation, address, { ...json({}), body: '{' });
          await ask(operation, address, { ...json({}), body: 'x'.repeat(17_000) });
        }
        if (method === 'post') {
          const malformed = { headers: { 'idempotency-key': 'a b' } };
          await ask(operation, address, malformed);
          assert.ok(parameters.some(({ name }) => name === 'Idempotency-Key'));
        }
        live.faults.failure = new Error('broken');
        await ask(operation, address);
        live.faults.failure = new StoreUnavailableError('unreachable', 'down');
        await ask(operation, address);
        live.faults.failure = null;
        live.clock.advance(60_000);
      }
    }
  });

  test('every error code of the management API was seen', () => {
    const codes = new Set([...seen].map((answer) => answer.split(' ')[3]));
    // It takes seconds of waiting for another request with the same key.
    const unseen = Object.keys(MANAGE_ERROR_STATUS).filter((code) => !codes.has(code));
    assert.deepEqual(unseen, ['IDEMPOTENCY_IN_PROGRESS']);
  });
});
