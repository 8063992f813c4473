/** Sends a test vote, and shows whether it was claimed: live, or without scripts after a reload. */
import type { FastifyInstance } from 'fastify';
import { type Instant, MINUTE_MS } from '../../../domain/clock.ts';
import type { Locale } from '../../../domain/locale.ts';
import { firstText } from '../../../domain/record.ts';
import { TEST_VOTE_MS, TEST_VOTER, type TestVote, testVoteState } from '../../../domain/votes/test-vote.ts';
import { SEE_OTHER_STATUS } from '../../errors/page-error.ts';
import { momentTag } from '../../layout/format.ts';
import { type Html, html } from '../../layout/html.ts';
import { csrfField, type PageContext } from '../../layout/page.ts';
import { adminOf, countAction, type DashboardDeps } from '../access.ts';
import { liveSource } from '../live.ts';
import { testsState } from '../live-channels.ts';
import { type Platform, platformAddress, readPlatform } from './platforms.ts';
import { testVoteMessages } from './test-vote-messages.ts';

export function testVoteRoute(app: FastifyInstance, deps: DashboardDeps): void {
  app.post('/key/test-vote', async (request, reply) => {
    const { guild, person } = adminOf(request);
    const { guildId } = guild;
    const at = deps.clock();
    await countAction(deps, guildId, 'TOO_MANY_TESTS');
    await deps.store.activities.record({ guildId, at, actor: person, action: 'test_vote_sent' });
    await deps.store.testVotes.send(guildId, at);
    const platform = readPlatform(firstText(request.body, 'platform'));
    return reply.redirect(`${platformAddress(guildId, platform)}#test-vote`, SEE_OTHER_STATUS);
  });
}

type TestVotePage = { guildId: string; platform: Platform; testVote: TestVote | null; now: Instant };

export function testVoteView({ locale, csrfToken, isReadOnly }: PageContext, page: TestVotePage): Html {
  const text = testVoteMessages[locale];
  const { guildId, platform, testVote, now } = page;
  // Only while there is something to wait for: the number of streams is limited.
  const isWaiting = testVote !== null && testVoteState(testVote, now) === 'waiting';
  return html`<div class="stack part" id="test-vote"><h3>${text.title}</h3>
<p class="muted measure">${text.lead(TEST_VOTE_MS / MINUTE_MS)} <code>discord_id=${TEST_VOTER.userId}</code> ${text.or} <code>external_id=${TEST_VOTER.externalId}</code>.</p>
<div id="test-vote-state" data-live role="status">${stateView(locale, page)}</div>
${!isReadOnly && html`<form method="post" action="/dashboard/${guildId}/key/test-vote">${csrfField(csrfToken)}<input type="hidden" name="platform" value="${platform}"><button class="small secondary">${testVote ? text.sendAgain : text.send}</button></form>`}
${isWaiting && liveSource(locale, guildId, 'tests', testsState(testVote))}</div>`;
}

function stateView(locale: Locale, { testVote, now }: TestVotePage): Html {
  const text = testVoteMessages[locale];
  if (!testVote) return html`<p>${text.none}</p>`;
  const { castAt, claim } = testVote;
  if (claim)
    return html`<p class="notice good">${text.claimed(claim.consumer)} ${momentTag(claim.claimedAt, locale)}.</p>`;
  const isWaiting = testVoteState(testVote, now) === 'waiting';
  return html`<p class="notice ${isWaiting ? '' : 'warn'}">${isWaiting ? text.waiting : text.expired} ${momentTag(castAt, locale)}.</p>`;
}
