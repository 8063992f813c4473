import { issueKey, revealKey } from '../../../src/store/guilds/guilds.ts';
import { startFakeDiscord } from '../../../test/support/discord/fake-discord.ts';
import { type Client, inParallel } from '../../lib/client.ts';
import { spawnVotary } from '../../lib/processes.ts';
import { Findings, type Trial, type TrialContext, type TrialResult } from '../../lib/promise.ts';
import { newUserId, openSessionIssuer, SESSION_TOKEN, type Session } from '../../lib/sessions.ts';
import { addGuild, GUILD, type Kind, makeSite, type Site } from '../../lib/site.ts';
import { pick, withProcesses } from '../votes/race.ts';

/** The number of requests with the old key that are in progress at any time, and started right after the response. */
const UNDER_WAY = 12;
const AFTERWARDS = 24;

export const keyChangeTrials: Trial[] = (['sqlite', 'postgres'] as const).map((kind) => ({
  name: `key-change-${kind}`,
  promise:
    'Once the response confirms that a key was replaced, no later request succeeds with the old one, on any process.',
  run: (context) => keyChange(kind, context),
}));

type Scene = { site: Site; clients: Client[]; admin: Session };

/** Replaces the key and returns the new one. Calls `onReplaced` in the same tick in which it gets the confirmation. */
type Way = (scene: Scene, onReplaced: () => void) => Promise<string>;

/** Alternating: each must revoke the old key immediately, in every process. */
const WAYS: readonly { name: string; replace: Way }[] = [
  { name: 'dashboard', replace: replaceByDashboard },
  { name: 'command_line', replace: replaceByCommandLine },
  { name: 'store', replace: replaceByStore },
];

type Counts = {
  requests: number;
  before: number;
  during: number;
  refused_after: number;
  let_in_after: number;
};

async function keyChange(kind: Kind, { scale, say }: TrialContext): Promise<TrialResult> {
  const findings = new Findings();
  const site = await makeSite(kind);
  const discord = await startFakeDiscord();
  const issuer = await openSessionIssuer(site.secrets);
  const counts: Counts = { requests: 0, before: 0, during: 0, refused_after: 0, let_in_after: 0 };
  const replacedBy: Record<string, number> = {};
  try {
    let key = await addGuild(site);
    const admin = await issuer.issue(newUserId());
    const guilds = [{ id: GUILD, name: 'Ours', owner: true, permissions: '8' }];
    discord.tokens.set(SESSION_TOKEN, { id: admin.userId, username: 'admin', global_name: null, guilds });
    discord.scopes.set(SESSION_TOKEN, 'identify guilds');
    const env = { ...site.env, ...discord.env, VOTARY_TRUSTED_PROXIES: '127.0.0.1' };
    const { processes } = scale;
    const atOnce = 2 * (UNDER_WAY + AFTERWARDS);
    await withProcesses({ env, findings, atOnce, processes }, async (clients) => {
      for (let round = 0; round < scale.keyRounds; round += 1) {
        const { name, replace } = pick(WAYS, round);
        key = await replaceUnderLoad({ site, clients, admin }, replace, key, counts);
        replacedBy[name] = (replacedBy[name] ?? 0) + 1;
      }
    });
    say(`${counts.refused_after} requests refused, ${counts.let_in_after} let in`);
    findings.expect(counts.let_in_after === 0, `${counts.let_in_after} requests passed with a replaced key`);
    const tried = counts.refused_after === scale.keyRounds * AFTERWARDS && counts.before > 0;
    findings.expect(tried, `not all was tried: ${JSON.stringify(counts)}`);
    return {
      broken: findings.broken,
      counts: { rounds: scale.keyRounds, replaced_by: replacedBy, ...counts },
    };
  } finally {
    await issuer.close();
    await discord.close();
    await site.remove();
  }
}

async function replaceUnderLoad(scene: Scene, replace: Way, key: string, counts: Counts): Promise<string> {
  const { clients } = scene;
  const afterwards: Promise<number>[] = [];
  let hasFailed = false;
  const isReplaced = () => afterwards.length > 0;
  const load = inParallel(
    UNDER_WAY,
    () => hasFailed || isReplaced(),
    async (worker) => {
      const status = await check(pick(clients, worker), key);
      counts.requests += 1;
      if (status === 200) counts[isReplaced() ? 'during' : 'before'] += 1;
    },
  );
  const replaced = await replace(scene, () => {
    for (let i = 0; i < AFTERWARDS; i += 1) afterwards.push(check(pick(clients, i), key));
  }).catch(async (error: unknown) => {
    // The load ends first: requests that are cut off would be reported instead of the error.
    hasFailed = true;
    await load;
    throw error;
  });
  const statuses = await Promise.all(afterwards);
  await load;
  counts.requests += statuses.length;
  counts.refused_after += statuses.filter((status) => status === 401).length;
  counts.let_in_after += statuses.filter((status) => status === 200).length;
  return replaced;
}

/** As an admin. The new key is read later: opening a store takes longer than a stale response. */
async function replaceByDashboard({ site, clients, admin }: Scene, onReplaced: () => void): Promise<string> {
  const client = pick(clients, 0);
  const headers = { ...HTTPS, cookie: admin.cookie };
  const page = await client.call(`/dashboard/${GUILD}/key/regenerate`, { headers });
  const replaces = /name="replaces" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
  let wasReplaced = false;
  const answer = await client.call(`/dashboard/${GUILD}/key/new`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ _csrf: admin.csrfToken, replaces }).toString(),
    onHead: (head) => {
      wasReplaced = String(head.headers.location).endsWith('?done=key-replaced');
      if (wasReplaced) onReplaced();
    },
  });
  if (!wasReplaced) {
    throw new Error(`the key was not replaced: ${page.status}, ${answer.status} ${answer.headers.location}`);
  }
  return site.withStore(async (store) => {
    const revealed = await revealKey(store, site.secrets, GUILD);
    return revealed.shown ? revealed.key : '';
  });
}

/** As an operator, in a separate process: `votary key generate`. Its response is the printed line. */
async function replaceByCommandLine({ site }: Scene, onReplaced: () => void): Promise<string> {
  const child = spawnVotary(site.env, ['key', 'generate', GUILD]);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let printed = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    const wasWhole = printed.includes('\n');
    printed += chunk;
    if (!wasWhole && printed.includes('\n')) onReplaced();
  });
  child.once('close', (code) => {
    if (code === 0 && printed.includes('\n')) resolve(printed.trim());
    else reject(new Error(`key generate ended with ${code}`));
  });
  return promise;
}

/** By the store directly, in this process: the response arrives before anything is closed. */
function replaceByStore({ site }: Scene, onReplaced: () => void): Promise<string> {
  return site.withStore(async (store) => {
    const key = await issueKey(store, site.secrets, GUILD, Date.now());
    if (key === undefined) throw new Error('the key was not replaced');
    onReplaced();
    return key;
  });
}

const HTTPS = { 'x-forwarded-proto': 'https', host: 'localhost' };
let callers = 0;

/** Each from its own address: a rejected key is counted by address, and that limit must not hide the result. */
async function check(client: Client, key: string): Promise<number> {
  callers += 1;
  const headers = {
    ...HTTPS,
    'x-api-token': key,
    'x-forwarded-for': `10.${callers & 255}.${(callers >> 8) & 255}.${(callers >> 16) & 255}`,
  };
  return (await client.call('/v7/vote-check?external_id=x', { headers })).status;
}
