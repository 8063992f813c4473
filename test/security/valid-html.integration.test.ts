import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { HtmlValidate, StaticConfigLoader } from 'html-validate';
import { type Fixture, openFixture } from './fixture.ts';
import { everyPage } from './pages.ts';

/** What the HTML standard requires. Layout and wording are checked elsewhere. */
const loader = new StaticConfigLoader({ extends: ['html-validate:standard'] });
const rules = await loader.getConfigFor('');
// Otherwise the rules are resolved again for every page, which takes longer than validating it.
loader.getConfigFor = () => rules;
const validator = new HtmlValidate(loader);

describe('every page', () => {
  let fixture: Fixture;
  before(async () => {
    fixture = await openFixture('demo');
  });
  after(() => fixture.close());

  it('is valid HTML, for visitors, voters and admins', async () => {
    const seen = new Set<string>();
    for await (const { name, text } of everyPage(fixture)) {
      const { results } = await validator.validateString(text, name);
      const faults = results.flatMap(({ messages }) =>
        messages.map(
          ({ ruleId, line, message }) => `${ruleId}: ${message} (${text.split('\n')[line - 1]?.trim()})`,
        ),
      );
      assert.deepEqual(faults, [], name);
      seen.add(name);
    }
    assert.ok(seen.size > 60, `${seen.size} pages`);
  });
});
