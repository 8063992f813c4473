import assert from 'node:assert/strict';
import { test } from 'node:test';
import { avatar, initialsOf } from '../../../src/site/layout/avatar.ts';

const INITIALS: [name: string, initials: string][] = [
  ['Demo Community', 'DC'],
  ['minecraft', 'M'],
  ['Les Chevaliers de la Table ronde', 'LC'],
  ['été chaud', 'ÉC'],
  ['  -- [FR] Serveur', 'FS'],
  ['𝔘nicode 𝔖erver', '𝔘𝔖'],
  ['שלום עולם', 'שע'],
  ['🔥🔥🔥', '🔥'],
  [' 👩‍🚀🔥', '👩‍🚀'],
  ['Charlie’s Corner', 'CC'],
  ["Zoé's", 'Z'],
  ['', '?'],
];

for (const [name, initials] of INITIALS) {
  test(`the initials of ${JSON.stringify(name)} are ${initials}`, () => {
    assert.equal(initialsOf(name), initials);
  });
}

test('a community keeps its color, and similar ids have different colors', () => {
  const classOf = (id: string) => /tone-\d/.exec(avatar({ id, name: 'A' }, 'small').text)?.[0];
  assert.equal(classOf('100000000000000001'), classOf('100000000000000001'));
  assert.notEqual(classOf('100000000000000001'), classOf('100000000000000002'));
});
