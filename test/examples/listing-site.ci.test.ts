/** The example in examples/listing-site, started with the commands of its README and used like visitors do. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { assertDone, type Home, makeHome } from '../cli/votary.ts';
import { freePort } from '../support/free-port.ts';
import { type Served, serve } from '../support/serve.ts';

const ROOT = join(import.meta.dirname, '../..');
const EXAMPLE = 'examples/listing-site';
const GUILD = '100000000000000001';
const NPM = { npm_config_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };

let home: Home;
let served: Served;
let site: ChildProcess;
let address: string;

/** A folder like a clone: `data` of the home is its data directory. */
async function makeClone(dataDir: string): Promise<string> {
  const clone = dirname(dataDir);
  const isSource = (path: string) => !/(?:dist|node_modules|\.tgz)$/.test(path);
  for (const name of ['sdk', 'examples', 'package.json', 'tsconfig.json'])
    await cp(join(ROOT, name), join(clone, name), { recursive: true, filter: isSource });
  for (const name of ['bin', 'src', 'node_modules'])
    await symlink(join(ROOT, name), join(clone, name), 'junction');
  return clone;
}

/** The commands of the README, with other ports, so that a service that already runs here is not in the way. */
async function startScript(serviceUrl: string, port: number): Promise<string> {
  const text = await readFile(join(ROOT, EXAMPLE, 'README.md'), 'utf8');
  const script = /^```sh start\.sh\n([\s\S]*?)^```$/m.exec(text)?.[1] ?? assert.fail('no start.sh');
  const replaced = script.replace('https://127.0.0.1:8443', serviceUrl).replace('PORT=3000', `PORT=${port}`);
  assert.ok(replaced.includes(serviceUrl) && replaced.includes(`PORT=${port}`));
  return replaced;
}

/** Resolves with the address that the site prints, and fails with its errors. */
async function untilListening(child: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      printed += chunk;
      const url = /The listing site is at (http:\S+)\//.exec(printed)?.[1];
      if (url) resolve(url);
    });
  child.once('exit', (code) => reject(new Error(`the site ended with ${code}: ${printed}`)));
  return promise;
}

type Visitor = { cookie: string };
type Page = { status: number; text: string };

async function open(path: string, { cookie }: Partial<Visitor> = {}): Promise<Page> {
  const response = await fetch(address + path, { headers: cookie ? { cookie } : {} });
  return { status: response.status, text: await response.text() };
}

async function submit(
  path: string,
  fields: Record<string, string>,
  { cookie, headers = {} }: Partial<Visitor> & { headers?: Record<string, string> } = {},
) {
  const response = await fetch(address + path, {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin', ...(cookie ? { cookie } : {}), ...headers },
  });
  const setCookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { status: response.status, text: await response.text(), setCookie };
}

async function signIn(userId: string): Promise<Visitor> {
  const { status, setCookie } = await submit('/sign-in', { user_id: userId });
  assert.equal(status, 303);
  return { cookie: setCookie };
}

/** The hidden fields of the form on a page. */
function hiddenFields({ text }: Page): Record<string, string> {
  const inputs = text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]+)">/g);
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value]));
}

const COMMUNITY = `/communities/${GUILD}`;

async function vote(visitor: Visitor, name = '') {
  const fields = { ...hiddenFields(await open(COMMUNITY, visitor)), name };
  return { fields, page: await submit(`${COMMUNITY}/vote`, fields, visitor) };
}

/** The first event of an open page after `action`. */
async function eventAfter<T>(
  action: () => Promise<T>,
): Promise<{ result: T; event: Record<string, unknown> }> {
  const abort = new AbortController();
  const { body } = await fetch(`${address}/events`, { signal: abort.signal });
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader() ?? assert.fail('no body');
  const result = await action();
  let received = '';
  while (!received.includes('\n\n')) {
    const { value, done } = await reader.read();
    assert.ok(!done, 'the stream ended');
    received += value;
  }
  abort.abort();
  return { result, event: JSON.parse(received.replace(/^data: /, '')) };
}

async function read(path: string) {
  const { key } = Object(await home.json('key', 'show', GUILD));
  return (await served.get(path, key)).body;
}

const checkVote = (query: string) => read(`/v7/vote-check?${query}`);

/** The id of the newest vote. */
async function newestVote(): Promise<string> {
  const from = new Date(Date.now() - 60 * 60 * 1000).toISOString();
  return Object(await read(`/v7/guild/feed?from=${from}&limit=1000`)).votes.at(-1).vote_id;
}

describe('the example of a listing site', { concurrency: false, timeout: 180_000 }, () => {
  before(async () => {
    home = await makeHome({ VOTARY_PORT: '0' });
    const clone = await makeClone(home.dataDir);
    served = await serve(home, '--demo', '--json');
    const script = await startScript(served.url, await freePort());
    const env = { ...process.env, ...NPM };
    // In a group of its own, because npm does not pass signals on to every process that it started.
    site = spawn('sh', ['-ec', script], { cwd: clone, env, detached: true });
    address = await untilListening(site);
  });
  after(async () => {
    if (site?.pid && site.exitCode === null) {
      const ended = once(site, 'exit');
      process.kill(-site.pid, 'SIGTERM');
      await ended;
    }
    // The last test stops the service itself.
    if (served?.process.exitCode === null) await served.stop();
  });

  it('lists the communities of the service', async () => {
    const { status, text } = await open('/');
    assert.equal(status, 200);
    assert.match(text, /<a href="\/communities\/100000000000000001">Demo Community<\/a>/);
  });

  it('marks its sign-in and its shop as fake', async () => {
    assert.match((await open('/sign-in')).text, /This sign-in is fake/);
    assert.match((await open('/billing')).text, /This shop is fake/);
  });

  it('casts a vote, whose webhook updates open pages', async () => {
    const visitor = await signIn('200000000000000099');
    const { result, event } = await eventAfter(() => vote(visitor, 'Élodie & co'));
    const { fields, page } = result;
    assert.equal(page.status, 200);
    assert.match(page.text, /Thank you for your vote! You can vote again at <time/);
    assert.equal(event.guildId, GUILD);
    const { has_voted, next_vote_at } = await checkVote('discord_id=200000000000000099');
    assert.equal(has_voted, true);
    assert.ok(page.text.includes(`<time datetime="${next_vote_at}">`));
    assert.equal((await checkVote('external_id=%C3%89lodie%20%26%20co')).has_voted, true);
    assert.ok((await open('/')).text.includes(`<output data-guild="${GUILD}">${event.votes}</output>`));

    // The network of the visitor was sent, and is known for this vote.
    const sameNetwork = await home.json(
      'votes',
      'void',
      GUILD,
      '--network-of',
      await newestVote(),
      '--dry-run',
    );
    assert.equal(Object(sameNetwork).voided, 1);

    // A reload sends the same form again: the same result, and no second vote.
    const repeated = await submit(`${COMMUNITY}/vote`, fields, visitor);
    assert.deepEqual([repeated.status, /Thank you/.test(repeated.text)], [200, true]);
  });

  it('says when the next vote is possible', async () => {
    const { page } = await vote(await signIn('200000000000000099'));
    assert.equal(page.status, 409);
    assert.match(page.text, /You have already voted for this community\. You can vote again at <time/);
  });

  it('says why a visitor cannot vote', async () => {
    assertDone(await home.votary('voter', 'ban', '200000000000000098'));
    const banned = await vote(await signIn('200000000000000098'));
    assert.deepEqual([banned.page.status, /Your account cannot vote/.test(banned.page.text)], [403, true]);
    const young = await vote(await signIn(String(BigInt(Date.now() - 1_420_070_400_000) << 22n)));
    assert.deepEqual([young.page.status, /account is too new/.test(young.page.text)], [403, true]);
    const badName = await vote(await signIn('200000000000000097'), 'a\tb');
    assert.deepEqual([badName.page.status, /name cannot be used/.test(badName.page.text)], [400, true]);
  });

  it('lowers the count when a vote is voided', async () => {
    const { event: cast } = await eventAfter(async () => vote(await signIn('200000000000000096')));
    const { event: voided } = await eventAfter(() =>
      home.json('votes', 'void', GUILD, '--user', '200000000000000096'),
    );
    assert.equal(voided.votes, Number(cast.votes) - 1);
  });

  it('extends Premium once per order', async () => {
    const premiumUntil = async () =>
      Date.parse(Object(await home.json('guild', 'show', GUILD)).premium_until);
    const before = await premiumUntil();
    const order = { ...hiddenFields(await open('/billing')), guild_id: GUILD };
    const paid = await Promise.all([submit('/billing', order), submit('/billing', order)]);
    for (const { status, text } of paid) {
      assert.equal(status, 200);
      assert.match(text, /Paid\. Premium ends at/);
    }
    assert.equal(await premiumUntil(), before + 30 * 24 * 60 * 60 * 1000);
  });

  it('refuses what no visitor of its pages sends', async () => {
    const visitor = await signIn('200000000000000095');
    const fields = hiddenFields(await open(COMMUNITY, visitor));
    const fromElsewhere = { ...visitor, headers: { 'sec-fetch-site': 'cross-site' } };
    assert.equal((await submit(`${COMMUNITY}/vote`, fields, fromElsewhere)).status, 403);
    const otherOrigin = await fetch(`${address}${COMMUNITY}/vote`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { ...visitor, origin: 'https://attacker.example' },
    });
    assert.equal(otherOrigin.status, 403);
    const forged = { cookie: visitor.cookie.replace('95.', '94.') };
    assert.equal((await submit(`${COMMUNITY}/vote`, fields, forged)).status, 303);
    assert.equal((await submit(`${COMMUNITY}/vote`, {}, visitor)).status, 400);
    assert.equal((await submit('/sign-in', { user_id: '<b>' })).status, 400);
    assert.equal((await submit('/sign-in', { user_id: '1'.repeat(5000) })).status, 413);
    assert.equal((await open('/communities/100000000000000009')).status, 404);
    assert.equal((await open('/nothing')).status, 404);
    assert.equal((await checkVote('discord_id=200000000000000095')).has_voted, false);
  });

  it('accepts no webhook that the service did not sign', async () => {
    const post = (path: string, headers: Record<string, string>) =>
      fetch(address + path, { method: 'POST', body: '{"type":"vote_received"}', headers });
    const signed = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': 'v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
    };
    assert.equal((await post(`/webhooks/${GUILD}`, {})).status, 400);
    assert.equal((await post(`/webhooks/${GUILD}`, signed)).status, 401);
    assert.equal((await post('/webhooks/100000000000000009', signed)).status, 404);
  });

  it('says that voting is not available while the service is down', async () => {
    const visitor = await signIn('200000000000000094');
    const fields = hiddenFields(await open(COMMUNITY, visitor));
    await served.stop();
    const page = await submit(`${COMMUNITY}/vote`, fields, visitor);
    assert.equal(page.status, 503);
    assert.match(page.text, /Voting is not available/);
    assert.doesNotMatch(page.text, /127\.0\.0\.1|ECONNREFUSED/);
  });
});
