import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newVisitor } from '../../site/visitor.ts';
import {
  CALLERS,
  type Caller,
  type CallerResponse,
  type Community,
  type Fixture,
  NAMES,
  nameOnPages,
  openFixture,
  ownToken,
  VOTED_USER,
  visitorOf,
} from '../fixture.ts';
import { addressOf, rowsOf } from './access-table.ts';
import { API_METHODS } from './api.ts';
import type { Cell, Row } from './cells.ts';
import { consent, type SignInKind } from './sign-in-methods.ts';
import { changedParts, stateOf } from './state.ts';

/** Tests who may use each route, and what that changes, with this kind of sign-in. */
export function testAccessTable(kind: SignInKind): void {
  describe(`the access table (sign-in: ${kind})`, { concurrency: false }, () => {
    const rows = rowsOf(kind);
    let fixture: Fixture;
    before(async () => {
      fixture = await openFixture(kind);
    });
    after(() => fixture.close());

    it('has exactly one row for every route of the server', () => {
      const withRow = new Set(rows.map(({ route }) => route));
      const isRefusal = (route: string) => {
        const [method = '', path = ''] = route.split(' ');
        return isUnversioned(path) || (path in API_METHODS && !API_METHODS[path]?.includes(method));
      };
      const routes = fixture.routes.filter((route) => !route.startsWith('HEAD ') && !isRefusal(route));
      const ofApi = Object.entries(API_METHODS).flatMap(([path, methods]) =>
        methods.map((method) => `${method} ${path}`),
      );
      assert.deepEqual([...new Set([...routes, ...ofApi])].sort(), [...withRow].sort());
    });

    it('defines what every form changes, and GET requests change nothing', () => {
      for (const { route, changes = [], becomes, isIgnored } of rows) {
        if (route.startsWith('POST ') && !isIgnored)
          assert.ok(changes.length > 0 || becomes !== undefined, route);
        else assert.deepEqual(changes, [], route);
      }
    });

    for (const row of rows) {
      describe(row.begunIn ? `${row.route}, begun in ${row.begunIn}` : row.route, () => {
        let community: Community;
        before(async () => {
          community = await fixture.newCommunity();
          await row.prepare?.(fixture.store, community);
        });
        for (const caller of CALLERS) {
          it(`${caller}: ${row.cells[caller]}`, () => assertCell(fixture, community, row, caller));
        }
        if (row.becomes === null) after(() => fixture.signInAgain());
      });
    }

    for (const [path, allowed] of Object.entries(API_METHODS)) {
      it(`allows no change by another method on ${path}`, async () => {
        await fixture.newCommunity();
        for (const caller of CALLERS) {
          const methods = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];
          for (const method of methods.filter((name) => !allowed.includes(name)))
            assertResult(await fixture.send(caller, method, path.replace(':user_id', VOTED_USER)), 'method');
        }
      });
    }

    for (const path of Object.keys(API_METHODS).filter(isVersioned)) {
      it(`is a 404 for everyone without the version: ${path}`, async () => {
        await fixture.newCommunity();
        for (const caller of CALLERS) {
          const unversioned = path.replace('/v7', '').replace(':user_id', VOTED_USER);
          for (const method of ['GET', 'POST', 'DELETE'])
            assert.equal((await fixture.send(caller, method, unversioned)).status, 404, method);
        }
      });
    }

    it('serves no metrics: the path is a 404 for everyone', async () => {
      await fixture.newCommunity();
      for (const caller of CALLERS)
        assert.equal((await fixture.send(caller, 'GET', '/metrics')).status, 404, caller);
    });
  });
}

function isVersioned(path: string): boolean {
  return path.startsWith('/v7/');
}

function isUnversioned(path: string): boolean {
  return `/v7${path}` in API_METHODS;
}

async function assertCell(fixture: Fixture, community: Community, row: Row, caller: Caller): Promise<void> {
  const [method = ''] = row.route.split(' ');
  const cell = row.cells[caller];
  const path = await pathFor(fixture, community, row, caller);
  const before = await stateOf(fixture, community);
  const answer = await fixture.send(caller, method, path, await formOf(fixture, community, row, caller));
  assertResult(answer, cell);
  if (cell !== 'ok') assertTellsNothing(answer, community);
  const changes = cell === 'ok' ? (row.changes ?? []) : [];
  assert.deepEqual(changedParts(before, await stateOf(fixture, community)), changes);
  const isSomebodyElse = cell === 'ok' && row.becomes !== undefined;
  assert.equal(await nameOnPages(fixture, answer), isSomebodyElse ? row.becomes : nameOf(caller));
  // A callback from Discord can be used once.
  if (method !== 'GET' || isSomebodyElse) return;
  const head = await fixture.send(caller, 'HEAD', path);
  assert.deepEqual([head.status, head.text], [answer.status, '']);
}

async function pathFor(
  { app, visitors }: Fixture,
  community: Community,
  row: Row,
  caller: Caller,
): Promise<string> {
  if (!row.begunIn) return addressOf(row, community).replace(':key', community.keys[caller] ?? '');
  return consent(row.begunIn === 'the own browser' ? visitorOf(visitors, caller) : newVisitor(app));
}

async function formOf({ visitors }: Fixture, community: Community, { form }: Row, caller: Caller) {
  return form && { ...form(community), _csrf: await ownToken(visitorOf(visitors, caller)) };
}

function nameOf(caller: Caller): string | null {
  return Object.entries(NAMES).find(([known]) => known === caller)?.[1] ?? null;
}

function assertTellsNothing({ text }: CallerResponse, { keys, endpointSecret }: Community): void {
  assert.ok(!text.includes(endpointSecret), 'a signing secret was shown');
  assert.ok(!text.includes(VOTED_USER), 'a vote was shown');
  for (const key of Object.values(keys)) assert.ok(!text.includes(key), 'a key was shown');
}

function assertResult(answer: CallerResponse, cell: Cell): void {
  assert.equal(describeResponse(answer), cell);
}

/** The result in the terms of the table; anything else as its status. */
function describeResponse({ status, text, location, error }: CallerResponse): Cell | string {
  const isSentToSignIn = location.startsWith('/sign-in?back=');
  if (status === 303) return isSentToSignIn ? 'signIn' : 'ok';
  if (status === 204) return 'ok';
  if (status === 200) return text === 'Error: server key not found' ? 'wrongKey' : 'ok';
  if (status === 400 && text.includes('This sign-in has expired')) return 'stale';
  if (status === 403 && text.includes('Access denied')) return 'forbidden';
  const isProblem = text.startsWith('{"type":"about:blank"');
  if (isProblem && (status === 401 || status === 405)) return status === 401 ? 'problem' : 'method';
  if (status === 401 && error === 'API_NOT_SET') return 'unset';
  if (status === 401 && error === 'INVALID_API_TOKEN') return 'invalid';
  if (status === 401 && error === 'INVALID_TOKEN') return 'noToken';
  if (status === 401 && error === 'INVALID_SIGNATURE') return 'unsigned';
  if (status === 401 && error === undefined) return 'signInEnded';
  return status === 405 && error === 'METHOD_NOT_ALLOWED' ? 'method' : `status ${status}`;
}
