import { issueKey, revealKey } from '../../src/store/keys.ts';
import { startFakeDiscord } from '../../test/support/fake-discord.ts';
import type { Client } from '../lib/client.ts';
import { newUserId, openPassportOffice, PASSPORT_TOKEN, type Passport } from '../lib/passports.ts';
import { Findings, type Trial, type TrialResult, type TrialWorld } from '../lib/promise.ts';
import { addGuild, GUILD, type Kind, makeSite, type Site } from '../lib/site.ts';
import { pick, withProcesses } from './race.ts';

/** So many requests with the old key are under way all the time, and so many start just after the answer. */
const UNDER_WAY = 12;
const AFTERWARDS = 24;

export const keyChangeTrials: Trial[] = (['sqlite', 'postgres'] as const).map((kind) => ({
  name: `key-change-${kind}`,
  promise:
    'Once the answer says that a key was replaced, no request that starts later passes with the old one, on any process.',
  run: (world) => keyChange(kind, world),
}));

async function keyChange(kind: Kind, { scale, say }: TrialWorld): Promise<TrialResult> {
  const findings = new Findings();
  const site = await makeSite(kind);
  const discord = await startFakeDiscord();
  const office = await openPassportOffice(site.secrets, { isDemo: false });
  const counts = { rounds: scale.keyRounds, before: 0, during: 0, refused_after: 0, let_in_after: 0 };
  try {
    let key = await addGuild(site);
    const admin = await office.issue(newUserId());
    const guilds = [{ id: GUILD, name: 'Ours', owner: true, permissions: '8' }];
    discord.tokens.set(PASSPORT_TOKEN, { id: admin.userId, username: 'admin', global_name: null, guilds });
    const env = { ...site.env, ...discord.env, VOTARY_TRUSTED_PROXIES: '127.0.0.1' };
    await withProcesses(env, findings, async (clients) => {
      for (let round = 0; round < scale.keyRounds; round += 1) {
        key = await replaceUnderLoad(site, clients, key, admin, round, counts);
      }
    });
    say(`${counts.refused_after} requests refused, ${counts.let_in_after} let in`);
    findings.expect(counts.let_in_after === 0, `${counts.let_in_after} requests passed with a replaced key`);
    const tried = counts.refused_after === scale.keyRounds * AFTERWARDS && counts.before > 0;
    findings.expect(tried, `not all was tried: ${JSON.stringify(counts)}`);
    return { broken: findings.broken, counts };
  } finally {
    await office.close();
    await discord.close();
    await site.remove();
  }
}

type Counts = { before: number; during: number; refused_after: number; let_in_after: number };

async function replaceUnderLoad(
  site: Site,
  clients: Client[],
  key: string,
  admin: Passport,
  round: number,
  counts: Counts,
): Promise<string> {
  let isReplaced = false;
  const load = Promise.all(
    Array.from({ length: UNDER_WAY }, async (_, i) => {
      while (!isReplaced) {
        const status = await check(pick(clients, i), key);
        if (status === 200) counts[isReplaced ? 'during' : 'before'] += 1;
      }
    }),
  );
  // By the dashboard and by the command line in turn: both must stop the old key at once.
  const replaced =
    round % 2 === 0
      ? await replaceByDashboard(site, pick(clients, round), admin)
      : await replaceByStore(site);
  isReplaced = true;
  const statuses = await Promise.all(
    Array.from({ length: AFTERWARDS }, (_, i) => check(pick(clients, i), key)),
  );
  await load;
  counts.refused_after += statuses.filter((status) => status === 401).length;
  counts.let_in_after += statuses.filter((status) => status === 200).length;
  return replaced;
}

function replaceByStore(site: Site): Promise<string> {
  return site.withStore(async (store) => (await issueKey(store, site.secrets, GUILD, Date.now())) ?? '');
}

async function replaceByDashboard(
  site: Site,
  client: Client,
  { cookie, csrfToken }: Passport,
): Promise<string> {
  const headers = { ...HTTPS, cookie };
  const page = await client.call(`/dashboard/${GUILD}/key/regenerate`, { headers });
  const replaces = /name="replaces" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
  const answer = await client.call(`/dashboard/${GUILD}/key/new`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ _csrf: csrfToken, replaces }).toString(),
  });
  if (!String(answer.headers.location).endsWith('?done=key-replaced')) {
    throw new Error(`the key was not replaced: ${page.status}, ${answer.status} ${answer.headers.location}`);
  }
  return site.withStore(async (store) => {
    const revealed = await revealKey(store, site.secrets, GUILD);
    return revealed.shown ? revealed.key : '';
  });
}

const HTTPS = { 'x-forwarded-proto': 'https', host: 'localhost' };
let callers = 0;

/** Each from an address of its own: a refused key is counted by address, and must not be hidden by that limit. */
async function check(client: Client, key: string): Promise<number> {
  callers += 1;
  const headers = {
    ...HTTPS,
    'x-api-token': key,
    'x-forwarded-for': `10.${callers & 255}.${(callers >> 8) & 255}.${(callers >> 16) & 255}`,
  };
  return (await client.call('/v7/vote-check?external_id=x', { headers })).status;
}
