import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findLinkProblem } from '../../src/domain/votes/vote-link.ts';
import { readVoteLink } from '../../src/site/vote/link.ts';
import { assertDone } from '../cli/votary.ts';
import { requirement } from '../support/requirement.ts';
import { run, unpackGuide } from './programs.ts';

const SECRET = 'vls_a-secret-of-tests';

describe('the guide to signed links', () => {
  for (const { file, command, skip } of [
    { file: 'vote-link.mjs', command: process.execPath, skip: false },
    { file: 'vote-link.php', command: 'php', skip: requirement('php') },
    { file: 'vote_link.py', command: 'python3', skip: requirement('python') },
    { file: 'VoteLink.java', command: 'java', skip: requirement('java') },
  ]) {
    it(`signs a link that is accepted: ${file}`, { skip }, async (t) => {
      const place = await unpackGuide(t, 'signed-links', { VOTARY_LINK_SECRET: SECRET });
      const printed = await run(command, [file], place);
      assertDone(printed);
      const link = new URL(printed.stdout.trim());
      const read = readVoteLink(Object.fromEntries(link.searchParams));
      assert.equal(read.externalId, 'Steve_42');
      const problemWith = (secret: string) =>
        findLinkProblem('100000000000000001', read, [secret], Date.now());
      assert.equal(problemWith(SECRET), null);
      assert.equal(problemWith('vls_other'), 'wrong_signature');
    });
  }
});
