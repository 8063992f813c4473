/** Scripted accounts that vote for one guild under one name, to get its rewards. */
import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/scrypt';
import { type Answer, type Client, newClient } from '../../lib/client.ts';
import { type RunningServer, startServer } from '../../lib/processes.ts';
import { Findings, type Trial, type TrialContext, type TrialResult } from '../../lib/promise.ts';
import { newUserId, openSessionIssuer, type Session } from '../../lib/sessions.ts';
import { addGuild, GUILD, makeSite, readVotes } from '../../lib/site.ts';
import { pick } from './race.ts';

const PROCESSES = 2;
const [CHALLENGE_FROM, REFUSE_ABOVE] = [5, 60];
const AT_ONCE = 64;

export const farmTrial: Trial = {
  name: 'farm',
  promise:
    'Scripted accounts behind one network cast at most four votes an hour for free, at most sixty with solved challenges, over two processes on PostgreSQL.',
  run: farm,
  extraSeconds: ({ farmCpuSeconds, farmNetworks }) => 2 * farmNetworks.length * farmCpuSeconds,
};

type Account = { session: Session; headers: Record<string, string> };

/** `cpuSeconds` is the time that the farm spent on challenges. */
type Harvest = { sent: number; passed: number; refused: number; other: number[]; cpuSeconds: number };

async function farm({ scale, say }: TrialContext): Promise<TrialResult> {
  const findings = new Findings();
  const counts: TrialResult['counts'] = { processes: PROCESSES, accounts: scale.farmAccounts };
  for (const networks of scale.farmNetworks) {
    for (const solves of [false, true]) {
      say(`${networks} networks, ${solves ? 'solving' : 'not solving'} challenges`);
      const harvest = await harvestFrom(networks, solves, scale, findings);
      const allowed = networks * (solves ? REFUSE_ABOVE : CHALLENGE_FROM - 1);
      const name = `${networks} networks ${solves ? 'solving' : 'not solving'}`;
      findings.expect(harvest.passed <= allowed, `${name}: ${harvest.passed} votes passed`);
      findings.expect(harvest.passed > 0, `${name}: no vote passed`);
      findings.expect(harvest.other.length === 0, `${name}: unexpected statuses ${harvest.other}`);
      counts[`${networks}_networks_${solves ? 'solved' : 'unsolved'}`] = {
        ...harvest,
        other: harvest.other.length,
        cpuSecondsPerVote: Math.round((1000 * harvest.cpuSeconds) / Math.max(1, harvest.passed)) / 1000,
      };
    }
  }
  return { broken: findings.broken, counts };
}

async function harvestFrom(
  networks: number,
  solves: boolean,
  scale: TrialContext['scale'],
  findings: Findings,
): Promise<Harvest> {
  const site = await makeSite('postgres');
  const issuer = await openSessionIssuer(site.secrets);
  const env = {
    ...site.env,
    VOTARY_NETWORK_VOTES: `${CHALLENGE_FROM},${REFUSE_ABOVE}`,
    VOTARY_TRUSTED_PROXIES: '127.0.0.1/32',
  };
  await addGuild(site);
  const servers = await Promise.all(Array.from({ length: PROCESSES }, () => startServer(env)));
  const clients = servers.map(({ url }) => newClient(url, { maxSockets: AT_ONCE }));
  try {
    const accounts = await Promise.all(
      Array.from({ length: scale.farmAccounts }, async (_, i): Promise<Account> => {
        const address = `198.51.100.${1 + (i % networks)}`;
        const headers = { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' };
        return { session: await issuer.issue(newUserId()), headers };
      }),
    );
    const harvest = await (solves
      ? solveAll(clients, accounts, scale.farmCpuSeconds)
      : sendAll(clients, accounts));
    const kept = (await readVotes(site)).size;
    findings.expect(kept === harvest.passed, `${kept} votes were kept, ${harvest.passed} were reported`);
    return harvest;
  } finally {
    for (const client of clients) client.close();
    await stopAll(servers, findings);
    await issuer.close();
    await site.remove();
  }
}

/** All at the same time, without opening a page. */
async function sendAll(clients: readonly Client[], accounts: readonly Account[]): Promise<Harvest> {
  const answers = await Promise.all(accounts.map((account, i) => vote(pick(clients, i), account)));
  return tallyOf(answers, 0);
}

/** One after the other, as fast as the CPU allows, until the farm has used its time. */
async function solveAll(
  clients: readonly Client[],
  accounts: readonly Account[],
  budgetSeconds: number,
): Promise<Harvest> {
  const answers: Answer[] = [];
  let cpuSeconds = 0;
  for (const [i, account] of accounts.entries()) {
    if (cpuSeconds > budgetSeconds) break;
    const client = pick(clients, i);
    const first = await vote(client, account);
    const before = process.cpuUsage();
    const altcha = await solve(first);
    const { user, system } = process.cpuUsage(before);
    if (altcha !== undefined) cpuSeconds += (user + system) / 1e6;
    answers.push(altcha === undefined ? first : await vote(client, account, { altcha }));
  }
  return tallyOf(answers, cpuSeconds);
}

async function solve({ text }: Answer): Promise<string | undefined> {
  const given = /data-challenge="([^"]+)"/.exec(text)?.[1];
  if (given === undefined) return undefined;
  const challenge = JSON.parse(given.replaceAll('&#34;', '"'));
  const solution = await solveChallenge({ challenge, deriveKey });
  return Buffer.from(JSON.stringify({ challenge, solution })).toString('base64');
}

function vote(
  client: Client,
  { session, headers }: Account,
  fields: Record<string, string> = {},
): Promise<Answer> {
  return client.call(`/guild/${GUILD}/vote?external_id=Farmer`, {
    method: 'POST',
    headers: { ...headers, cookie: session.cookie, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ _csrf: session.csrfToken, ...fields }).toString(),
  });
}

function tallyOf(answers: readonly Answer[], cpuSeconds: number): Harvest {
  const statuses = answers.map(({ status }) => status);
  const isRefusal = (status: number) => status === 403 || status === 429;
  return {
    sent: answers.length,
    passed: statuses.filter((status) => status === 303).length,
    refused: statuses.filter(isRefusal).length,
    other: statuses.filter((status) => status !== 303 && !isRefusal(status)),
    cpuSeconds: Math.round(cpuSeconds * 10) / 10,
  };
}

async function stopAll(servers: readonly RunningServer[], findings: Findings): Promise<void> {
  const codes = await Promise.all(servers.map((server) => server.stop()));
  findings.expect(
    codes.every((code) => code === 0),
    `exit codes were ${codes.join(', ')}`,
  );
}
