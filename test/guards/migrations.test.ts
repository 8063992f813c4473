import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readMigrations } from '../../src/store/maintenance/migrations.ts';

/**
 * The statements of every migration, without comments. A migration that was applied anywhere is never changed: a
 * database that has it would be refused. Add a new file instead, and its line here.
 */
const HASHES: Record<string, Record<string, string>> = {
  sqlite: {
    '0001-schema': '153b01fefab88ca9457b2853971570ae1f9af3eac232cf4f7fde8bbb4c3a1c69',
    '0002-sign-outs': 'f981b1700ddcc62de02e03503860f64e9b75db04504142528ccd44fe03bb4c3d',
    '0003-claims-and-feed': '59bdeeed2635f0e04b1cb2cf642d635c8e3262ca44df9e055168d5f55a3cd1bb',
    '0005-removals-and-probes': '193916ffbc33c0ca4bc7ea17a5ddd2edd4c12f63245304d898e27e7cb5989028',
    '0006-management-api': 'd3862959b4499e8e288c5cf8a1fc262c2318d59b7b40c8bc472c368acfaa6691',
    '0007-erasures-and-maintenance': '00a8f8f4d6c0e90916f63e73676cf2974d63012d7f898f9157ca459024447d83',
    '0012-pages': 'cefcc403ceaf608f254f758e0f5ebab54fe3d0a1b1f4fa3c149ada9838636733',
    '0011-goals': 'a4b7727d4329cab6f1096f6a3fce40eed35a96f6c2983cffaed077581a837d13',
    '0010-consumers': '80cfbd21f1a32befcaf8c0f678710205a1dbcd32fd087adc78fc255ef904a6b4',
    '0014-test-votes': 'cc814988acb112870e57e7d763d52998355ae3a279da57bc89cc377908041ea5',
    '0015-banners': '8e401d4c0f37f983def1f17a671885326a92bf6c132b29c645dab460e320f7b0',
    '0013-voter-roles': '5abd6499b327b56c9efb257f6cc92bf02e8f671bcf285b5810f9ff909af4c6a8',
    '0016-faster-claims': '6ce67239496065448cafefc1ebced61cc6660a6805a47df0041a0f8614033eb1',
    '0017-faster-votes': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '0018-smaller-claims': '2ad17741de5e06aa5c7c987001c8f0c611acab46e1084a9d415dfbbaec7aa650',
  },
  postgres: {
    '0001-schema': '7cb1b945aff20057592f44cfcfb473efd1b4f6b973b5f78f61d05e173384a989',
    '0002-sign-outs': 'de841bb6fd08b8bd7afa0a837e8af631b79c3fedf08b6427f1486d7775838a21',
    '0003-claims-and-feed': '6c9ae55156de9d99dc33a14e13868649d627f13ee57c0945d352c9179efc8c82',
    '0005-removals-and-probes': '7ba548802a716ba791f45d093467577f05d23eee875e7e82d3b58bc613b57eb1',
    '0006-management-api': 'a18f342678e4577eecfd12f45a73216e2dd27703a83f430f2e1b510e6e54ee30',
    '0007-erasures-and-maintenance': 'de9132e21411f98c1618639c7337e369471df26d1110bc793bb8b4cf4434dbe6',
    '0012-pages': 'cefcc403ceaf608f254f758e0f5ebab54fe3d0a1b1f4fa3c149ada9838636733',
    '0011-goals': '4e6f6e46122f70b6da2df1d619a2682511ce0cfbf19902aa83f57e824e574481',
    '0010-consumers': '0cfc899243aa1dc53e8bf7e2edfedf2f134e59f601c46d2b2dd609a8ebc95262',
    '0014-test-votes': '590191b08f57db9fd602cc144d4ebc9a75632cc23aa68ed0b5bdfb5a6b036d22',
    '0015-banners': '459d66e5e88acf5e7c38ec4af8153f428d9a35827da9951d56adff1332d4edd8',
    '0013-voter-roles': '34178adf2a3f3ceb5d0e2ef448ea133326fc42cda00aae85f627720fb7c50157',
    '0016-faster-claims': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '0017-faster-votes': 'c9e858dc58a2c9215f6ccc866768407ba3201912ee4eea53281bdf52682eab8a',
    '0018-smaller-claims': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  },
};

for (const [database, hashes] of Object.entries(HASHES)) {
  test(`the migrations for ${database} are those that databases have`, () => {
    const folder = new URL(`../../src/store/${database}/migrations/`, import.meta.url);
    const found = readMigrations(folder).map(({ name, hash }) => [name, hash]);
    assert.deepEqual(Object.fromEntries(found), hashes);
  });
}

test('both databases have the same migrations', () => {
  const [sqlite, postgres] = Object.values(HASHES).map((hashes) => Object.keys(hashes));
  assert.deepEqual(sqlite, postgres);
});
