// Runs in an empty project, under any Node from 20 on, with the packed package and a real service.
import { env, stdout } from 'node:process';
import { isVotaryError as isKnownToRoot } from '@votary/sdk';
import { isVotaryError, VotaryManager } from '@votary/sdk/manage';

const { baseUrl, token } = JSON.parse(env.SMOKE);
const manager = new VotaryManager({ token, baseUrl });
const guildId = '123456789012345678';
const vote = { guildId, userId: '200000000000000077', externalId: 'Alex', network: '198.51.100.7' };

async function errorOf(call) {
  try {
    await call();
    return undefined;
  } catch (error) {
    const { code, status, reason, nextVoteAt } = error;
    return { code, status, reason, nextVoteAt, isKnown: isVotaryError(error) && isKnownToRoot(error) };
  }
}

const created = await manager.createGuild({ guildId, name: 'Packed' });
const { nextVoteAt } = await manager.castVote(vote);
const names = [];
for await (const { name } of manager.guilds({ pageSize: 1 })) names.push(name);
await manager.createBan({ userId: vote.userId });
const report = {
  created: created.name,
  names,
  premium: (await manager.updateGuild(guildId, { premiumUntil: '2100-01-01' })).premiumUntil,
  next: nextVoteAt,
  banned: await errorOf(() => manager.castVote(vote)),
  votes: (await manager.getUser(vote.userId)).votes.length,
};
await manager.deleteBan(vote.userId);
report.again = await errorOf(() => manager.castVote(vote));
report.wrong = await errorOf(() => new VotaryManager({ token: `${token}x`, baseUrl }).listGuilds());
stdout.write(`${JSON.stringify(report)}\n`);
