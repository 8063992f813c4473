import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Api, onSqlite } from '../../support/api.ts';
import { newVisitor, type Visitor } from '../visitor.ts';

async function enter({ app }: Api): Promise<Visitor> {
  const alex = newVisitor(app);
  await alex.signIn('Alex');
  return alex;
}

onSqlite('an action of an operator', (open) => {
  test('that voided nothing ends with a warning, and one that succeeded does not', async () => {
    const alex = await enter(await open());
    const nothing = await alex.get('/operator/voided?done=nothing-voided');
    assert.match(nothing.text, /<p class="notice warn" role="status">Nothing was voided/);
    const done = await alex.get('/operator/voided?done=voided');
    assert.match(done.text, /<p class="notice good" role="status">Votes voided/);
  });
});
