import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { generateApiKey, isPlaceholderKey } from '../../../src/domain/keys/api-key.ts';
import { anyText } from '../arbitraries.ts';

/** From the design, and collected from READMEs, templates and configuration files. */
const PLACEHOLDERS = `
  YOUR_API_KEY | <API_KEY> | VOTRE_CLE_API | changeme | undefined | null | xxxx | {{api_key}} | \${API_KEY}
  your_api_key | your-api-key | yourApiKey | YOURAPIKEY | your api key | your_api_key_here | your-key | YOUR_TOKEN
  your_secret_token | YOUR_SERVER_KEY | YOUR_TOPSERVERS_KEY | MY_API_KEY | my-token | the-api-key | API_KEY_1
  API_KEY | api-key | apikey | API_TOKEN | token | TOKEN_HERE | key | Bearer | Bearer YOUR_API_KEY
  insert_key_here | INSERT-TOKEN-HERE | put your key here | paste_your_token_here | Enter your API key
  REPLACE_ME | replace-with-your-key | change_me | CHANGE-THIS | FILL_ME_IN | todo | TBD | FIXME | set_me
  example | example_key | EXAMPLE_TOKEN | placeholder | dummy | dummy-token | sample_key
  none | nil | NULL | Undefined | NaN | false | true | empty | [object Object]
  votre_clé_api | Votre clé API | VOTRE_CLE_ICI | votre-jeton | TA_CLE_API | MA_CLE | CLE_API | clé | MON_JETON
  inserez_votre_cle_ici | collez votre clé ici | REMPLACEZ_MOI | A_REMPLACER | a-changer | mettez votre clé
  <your-api-key> | <votre clé> | [YOUR_KEY] | {key} | {{ key }} | \${{ secrets.VOTARY_KEY }} | $API_KEY | $(API_KEY)
  %API_KEY% | %env(API_KEY)% | #{api_key} | <%= key %> | __API_KEY__ | @API_KEY@ | :api_key | (your key)
  process.env.API_KEY | import.meta.env.KEY | env('API_KEY') | getenv("KEY") | os.environ['KEY'] | ENV["KEY"]
  x | xxx | XXXXXXXXXXXXXXXX | xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx | **** | ... | … | --- | ____ | ????
  0000000000 | •••••••• | ${'x'.repeat(500)} | vty_xxxx | vty_${'x'.repeat(36)}
  vty_YOUR_API_KEY | vty_your_key_here | vty_yourapikey | vty_changeme | vty_... | vty_**** | vty_<key>
  "YOUR_API_KEY" | 'changeme' | "\${API_KEY}" | VTY_YOUR_API_KEY`
  .split(/[|\n]/)
  .map((text) => text.trim())
  .concat(['\t', '""', "''", '``', ' YOUR_API_KEY\n']);

const NOT_PLACEHOLDERS = `
  vty_000000000000000000000000000000000000a vty_ vty_x vty_key vty_nil0 vty_myK3yq0000000000000000000000keyAAAAA
  myQ7f3keyZ81LpT0aVbN leQ7f3tokenZ81LpT0aVb vt v sk_live_4eC39HqLyjWDarjtT1zdp7dc 8f14e45fceea167a5a36dedd4bea2543
  3f2504e0-4f89-11d3-9a0c-0305e82c3301 eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln hunter2
  invalid invalid-key invalid_token vty_invalidkey wrong-key test test123 test-key secret string abc123 123456
  11111111 aaaaaaaa vty_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa`
  .trim()
  .split(/\s+/);

describe('a placeholder key', () => {
  for (const text of PLACEHOLDERS) {
    const shown = text.length > 60 ? `${text.slice(0, 20)}… (${text.length} characters)` : text;
    it(`is ${JSON.stringify(shown)}`, () => assert.equal(isPlaceholderKey(text), true));
  }
});

describe('a key that is wrong but not a placeholder', () => {
  for (const text of NOT_PLACEHOLDERS) {
    it(`is ${JSON.stringify(text)}`, () => assert.equal(isPlaceholderKey(text), false));
  }

  it('is every real key, complete or truncated anywhere', () => {
    const keys = Array.from({ length: 500 }, () => generateApiKey());
    for (const key of keys) {
      for (let length = 1; length <= key.length; length += 1) {
        const cut = key.slice(0, length);
        // One real key in fifteen million starts with the same character four times, and looks like a mask.
        if (!/^vty_(.)\1{3,}$/i.test(cut)) assert.equal(isPlaceholderKey(cut), false, cut);
      }
    }
  });

  it('is every real key without its prefix', () => {
    for (let i = 0; i < 20_000; i += 1) {
      const bare = generateApiKey().slice(4);
      assert.equal(isPlaceholderKey(bare), false, bare);
    }
  });

  it('is a real key whose random part contains words of a placeholder', () => {
    for (const body of ['myKEYS', 'laCLE', 'yourTokenIs', 'taiciHere']) {
      const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
      const next = [...body].map((character) => alphabet.indexOf(character)).values();
      const key = generateApiKey(() => next.next().value ?? 7);
      assert.equal(isPlaceholderKey(key), false, key);
    }
  });
});

it('no text makes the check throw', () => {
  fc.assert(fc.property(anyText, (text) => typeof isPlaceholderKey(text) === 'boolean'));
});
