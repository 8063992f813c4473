/** The management client compared with the OpenAPI document, which is made of the schemas of the server. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ManageErrorCode, type NewVoid, VotaryManager } from '../../../sdk/src/manage/index.ts';
import type { MANAGE_ERROR_STATUS } from '../../../src/api/errors/responses.ts';
import type { Operation, Schema } from '../../../src/api/openapi/components.ts';
import { type Live, startLive } from '../../openapi/live-server.ts';
import { type Published, readPublished, toPointer } from '../../openapi/published.ts';

const GUILD = '100000000000000001';
const USER = '200000000000000001';
const DATE = '2026-11-15T12:00:00.000Z';

type Call = (manager: VotaryManager) => Promise<unknown>;

const voids = (...selections: NewVoid[]): Call[] =>
  selections.map(
    (selection) => (manager) =>
      manager.createVoid({ ...selection, from: DATE, to: DATE, reason: 'r', dryRun: true }),
  );

/** Calls of each operation, together with every field that its body can have. */
const CALLS: Record<string, Call[]> = {
  listGuilds: [(m) => m.listGuilds({ q: 'a', limit: 5, cursor: 'c' })],
  createGuild: [(m) => m.createGuild({ guildId: GUILD, name: 'One' })],
  getGuild: [(m) => m.getGuild(GUILD)],
  updateGuild: [
    (m) =>
      m.updateGuild(GUILD, {
        name: 'One',
        listed: true,
        premiumUntil: DATE,
        sanction: { reason: 'r' },
        rateLimit: 5,
        playerNames: 'minecraft',
        goal: { period: 'day', target: 100 },
      }),
  ],
  deleteGuild: [(m) => m.deleteGuild(GUILD, { confirm: GUILD })],
  createGuildKey: [(m) => m.createGuildKey(GUILD)],
  deleteGuildKey: [(m) => m.deleteGuildKey(GUILD)],
  castVote: [
    (m) => m.castVote({ guildId: GUILD, userId: USER, externalId: 'Alex', network: '198.51.100.7' }),
  ],
  listBans: [(m) => m.listBans({ limit: 5, cursor: 'c' })],
  createBan: [(m) => m.createBan({ userId: USER, until: DATE, reason: 'r', publicReason: 'p' })],
  deleteBan: [(m) => m.deleteBan(USER)],
  createVoid: voids(
    { guildId: GUILD, userId: USER },
    { guildId: GUILD, externalId: 'Alex' },
    { guildId: GUILD, mark: 'young_account' },
    { guildId: GUILD, networkOf: 'vote_0123456789abcdef0123456789abcdef' },
  ),
  deleteVoid: [(m) => m.deleteVoid('void_5f0c2a9be1d47388')],
  getUser: [(m) => m.getUser(USER)],
  deleteUser: [(m) => m.deleteUser(USER)],
};

/** Fields that a result leaves out: it is the object inside of them, or they repeat an argument. */
const LEFT_OUT: Record<string, string[]> = {
  createGuild: ['guild'],
  getGuild: ['guild'],
  updateGuild: ['guild'],
  createBan: ['ban'],
  deleteGuild: ['guild_id'],
  deleteGuildKey: ['guild_id'],
  deleteBan: ['user_id'],
  deleteVoid: ['batch', 'restored'],
  deleteUser: ['user_id'],
};

/** `user` is another name of `user_id`, for people who know the command line. */
const NOT_SENT = new Set(['user']);

let live: Live;
let published: Published;
let operations: Map<string, { operation: Operation; method: string; path: string }>;

before(async () => {
  live = await startLive();
  published = readPublished((await live.call('/manage/v1/openapi.json', { key: null })).body);
  operations = new Map(
    Object.entries(published.document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        operation.operationId ?? '',
        { operation, method, path },
      ]),
    ),
  );
  operations.delete('getOpenApi');
});
after(() => live.stop());

const operationOf = (id: string) => operations.get(id) ?? assert.fail(`${id} is not in the document`);

type Sent = { method: string; path: string; query: string[]; body: unknown };

/** Calls a method, whose request gets the given response. */
async function exchange(call: Call, response: unknown): Promise<{ result: unknown; sent: Sent }> {
  const requests: Sent[] = [];
  const fetch = async (address: string, { method = '', body }: RequestInit) => {
    const url = new URL(address);
    const text = body === undefined ? undefined : JSON.parse(String(body));
    requests.push({ method, path: url.pathname, query: [...url.searchParams.keys()], body: text });
    return Response.json(response);
  };
  const result = await call(new VotaryManager({ token: 'vto_a', baseUrl: 'https://example.org', fetch }));
  return { result, sent: requests[0] ?? assert.fail('no request') };
}

function resolve(schema: Schema): Schema {
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
  const found = name === undefined ? schema : published.document.components.schemas[name];
  return found ?? assert.fail(`${name} is not in the document`);
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;

const propertiesOf = (schema: Schema): [string, Schema][] =>
  Object.entries(resolve(schema).properties ?? {}).map(([name, inner]) => [
    name,
    isSchema(inner) ? inner : {},
  ]);

/** A value with every field, or with null wherever that is allowed. */
function sample(given: Schema, prefersNull: boolean): unknown {
  const schema = resolve(given);
  const options = Array.isArray(schema.anyOf) ? schema.anyOf.filter(isSchema) : [];
  const types = [schema.type, ...options.map((option) => resolve(option).type)].flat();
  if (prefersNull && types.includes('null')) return null;
  const inner = options.find((option) => resolve(option).type !== 'null');
  if (inner) return sample(inner, prefersNull);
  if ('const' in schema) return schema.const;
  if (types.includes('object'))
    return Object.fromEntries(
      propertiesOf(schema).map(([name, field]) => [name, sample(field, prefersNull)]),
    );
  if (types.includes('array')) return isSchema(schema.items) ? [sample(schema.items, prefersNull)] : [];
  if (types.includes('integer')) return 1;
  if (types.includes('boolean')) return true;
  return schema.format === 'date-time' ? DATE : 'text';
}

/** The names of all fields, at any depth. */
function fieldNames(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(fieldNames);
  if (typeof value !== 'object' || value === null || value instanceof Date) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...fieldNames(inner)]);
}

const camelCase = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

const sorted = (names: string[]) => [...new Set(names)].toSorted();

type Same<A, B> = [A, B] extends [B, A] ? true : false;

describe('the management client and the OpenAPI document', () => {
  it('have the same operations', () => {
    assert.deepEqual([...operations.keys()].toSorted(), Object.keys(CALLS).toSorted());
    for (const id of operations.keys())
      assert.equal(typeof Reflect.get(VotaryManager.prototype, id), 'function');
  });

  it('have the same error codes', () => {
    const isSame: Same<ManageErrorCode, keyof typeof MANAGE_ERROR_STATUS> = true;
    assert.ok(isSame);
  });

  for (const [id, calls] of Object.entries(CALLS)) {
    it(`have the same method, path, parameters and body of ${id}`, async () => {
      const { operation, method, path } = operationOf(id);
      const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
      const bodies: unknown[] = [];
      for (const call of calls) {
        const { sent } = await exchange(call, successOf(operation, false));
        assert.equal(sent.method, method.toUpperCase());
        assert.match(sent.path, pattern);
        const known = (operation.parameters ?? []).filter((given) => given.in === 'query');
        const names = known.map(({ name }) => name).filter((name) => name !== 'locale');
        assert.deepEqual(sorted(sent.query), sorted(names));
        bodies.push(sent.body);
      }
      const media = operation.requestBody?.content['application/json'];
      if (!media) return assert.deepEqual(bodies, [undefined]);
      const pointer = ['paths', path, method, 'requestBody', 'content', 'application/json', 'schema'];
      for (const body of bodies) published.validate(toPointer(pointer), body);
      const documented = fieldNames(sample(media.schema, false)).filter((name) => !NOT_SENT.has(name));
      assert.deepEqual(sorted(bodies.flatMap(fieldNames)), sorted(documented));
    });

    for (const [which, prefersNull] of [
      ['every field', false],
      ['null wherever it is allowed', true],
    ] as const) {
      it(`have the same result of ${id}, with ${which}`, async () => {
        const { operation } = operationOf(id);
        const [call = assert.fail()] = calls;
        const response = successOf(operation, prefersNull);
        const { result } = await exchange(call, response);
        const leftOut = new Set(['ok', ...(LEFT_OUT[id] ?? [])]);
        const documented = fieldNames(response).filter((name) => !leftOut.has(name));
        // An export is handed on as it is.
        const expected = id === 'getUser' ? documented : documented.map(camelCase);
        const names = fieldNames(result).filter((name) => name !== 'replayed');
        assert.deepEqual(sorted(names), sorted(expected));
      });
    }
  }
});

function successOf({ responses }: Operation, prefersNull: boolean): unknown {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const media = success?.content?.['application/json'] ?? assert.fail('no response');
  return sample(media.schema, prefersNull);
}
