import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Path } from '../../src/api/openapi/components.ts';
import {
  goalReached,
  rewardGranted,
  SUBSCRIBABLE_EVENTS,
  sampleEvent,
  TEST_TYPES,
  voteAvailable,
  voteReceived,
  voteVoided,
  webhookTest,
} from '../../src/domain/webhooks/event.ts';
import { type Live, type LiveAnswer, startLive } from './live-server.ts';
import { type Published, readPublished, toPointer } from './published.ts';
import { brokenRules } from './redocly.ts';

let live: Live;
let answer: LiveAnswer;
let published: Published;
before(async () => {
  live = await startLive();
  answer = await live.call('/v7/openapi.json', { key: null });
  published = readPublished(answer.body);
});
after(() => live.stop());

test('anyone can read the document, and reading it counts as a request', () => {
  assert.equal(answer.status, 200);
  assert.match(String(answer.headers.ratelimit), /^"default";r=29;/);
});

test('redocly reports no problems in the document', async (t) => {
  assert.deepEqual(await brokenRules(t, answer.body), []);
});

test('redocly would report missing texts, unknown tags and invalid examples', async (t) => {
  const document = JSON.parse(answer.body);
  delete document.info.contact;
  const [first, second, third] = Object.values<Path>(document.paths).map(({ get }) => Object(get));
  delete first.description;
  delete first.tags;
  second.tags = ['unknown'];
  third.parameters[0].example = { not: 'text' };
  assert.deepEqual(await brokenRules(t, JSON.stringify(document)), [
    'info-contact',
    'no-invalid-parameter-examples',
    'operation-description',
    'operation-tag-defined',
    'rule/operation-has-tag',
  ]);
});

test('every example is valid according to its schema', () => {
  let examples = 0;
  for (const [path, { get }] of Object.entries(published.document.paths)) {
    for (const [status, { content }] of Object.entries(get?.responses ?? {})) {
      const media = ['paths', path, 'get', 'responses', status, 'content', 'application/json', 'schema'];
      for (const { value } of Object.values(content?.['application/json']?.examples ?? {})) {
        published.validate(toPointer(media), value);
        examples += 1;
      }
    }
  }
  assert.ok(examples > 50);
});

test('the events that are sent match their documentation', () => {
  const vote = {
    guildId: '100000000000000001',
    userId: '200000000000000001',
    castAt: live.clock(),
    externalId: null,
    isDoubled: true,
  };
  const events = [
    voteReceived(vote, { votesThisMonth: 1, totalVotes: 1, streakDays: 1 }),
    voteAvailable(vote),
    rewardGranted({ ...vote, claimedAt: live.clock(), consumer: 'bot' }),
    voteVoided(vote, { batch: 'void_1', reason: null, voidedAt: live.clock() }),
    goalReached({ period: 'month', target: 5, votes: 5, vote }),
    webhookTest(vote.guildId, live.clock(), 'x'),
  ];
  assert.deepEqual(
    events.map(({ type }) => type),
    Object.keys(published.document.webhooks ?? {}),
  );
  const samples = TEST_TYPES.map((type) => sampleEvent(type, vote.guildId, live.clock(), 'y'));
  const schemaOf = (type: string) =>
    toPointer(['webhooks', type, 'post', 'requestBody', 'content', 'application/json', 'schema']);
  for (const { type, body } of [...events, ...samples]) published.validate(schemaOf(type), JSON.parse(body));
  for (const type of SUBSCRIBABLE_EVENTS) {
    const { body } = sampleEvent(type, vote.guildId, live.clock(), 'z');
    const misspelt = JSON.parse(body.replace('"test":true', '"test":"true"'));
    assert.throws(() => published.validate(schemaOf(type), misspelt), /test/);
  }
});

test('every parameter of the contract is documented, and api_token as deprecated', () => {
  const { get } = published.document.paths['/v7/guild/votes/users/{user_id}'] ?? {};
  const parameters = get?.parameters ?? [];
  assert.deepEqual(
    parameters
      .map(({ name, in: place, required }) => `${name} ${place}${required ? ' required' : ''}`)
      .sort(),
    [
      'Accept-Language header',
      'X-Locale header',
      'api_token query',
      'cursor query',
      'from query',
      'limit query',
      'locale query',
      'to query',
      'user_id path required',
    ],
  );
  assert.deepEqual(
    parameters.filter(({ deprecated }) => deprecated).map(({ name }) => name),
    ['api_token'],
  );
});

test('generated clients do not send the key in the URL', () => {
  const { security, components } = published.document;
  assert.deepEqual(security, [{ bearer: [] }, { apiTokenHeader: [] }]);
  assert.deepEqual(Object.keys(components.securitySchemes), ['bearer', 'apiTokenHeader']);
});
