/** Everything that clients and users do on a running server, valid and invalid, so that logs have seen every secret. */
import assert from 'node:assert/strict';
import type { FakeDiscord } from '../../support/discord/fake-discord.ts';
import {
  type HttpsAnswer,
  type HttpsVisitor,
  newHttpsVisitor,
  tokenIn,
} from '../../support/https-visitor.ts';

/** The community that Alex administers in the demo. */
export const DEMO_GUILD = '100000000000000001';
const ALEX = '200000000000000101';

/** Everything a client can do with a key, valid and invalid. Returns the responses, which must not contain the key. */
export async function useApi(visitor: HttpsVisitor, key: string, old: string): Promise<HttpsAnswer[]> {
  const answers: HttpsAnswer[] = [];
  const encoded = key.replace('_', '%5f').replace('v', '%76');
  for (const one of [key, old, `${key}x`, `<${key}>`]) {
    for (const path of ['/v7/vote-check?discord_id=1', '/v7/guild/votes?cursor=x', '/v7/nothing', '/nothing'])
      answers.push(await visitor.get(path, { authorization: `Bearer ${one}`, 'x-api-token': one }));
    answers.push(await visitor.get(`/v7/vote-check?external_id=a&api_token=${one}`));
    answers.push(
      await visitor.get(`/compat/listforge/api/?object=votes&element=claim&username=a&key=${one}`),
    );
    answers.push(await visitor.get('/compat/topgg/api/bots/check?userId=1', { authorization: one }));
    answers.push(await visitor.get('/compat/topgg/api/v1/projects/@me', { authorization: `Bearer ${one}` }));
  }
  answers.push(await visitor.get(`/v7/vote-check?api_token=${encoded}&external_id=${key}&limit=${key}`));
  answers.push(await visitor.get(`/${key}/v7?${key}=${key}`));
  answers.push(await visitor.send('POST', `/v7/vote-check?api_token=${key}`, {}, key));
  answers.push(await visitor.get('/v7/vote-check', { 'x-padding': key.repeat(1000) }));
  return answers;
}

/** Requests with a token of the management API, in the right and in wrong places. */
export async function useManagement(visitor: HttpsVisitor, token: string): Promise<HttpsAnswer[]> {
  const authorization = `Bearer ${token}`;
  const json = { authorization, 'content-type': 'application/json' };
  return [
    await visitor.get('/manage/v1/guilds', { authorization }),
    await visitor.get('/manage/v1/guilds', { authorization: `${authorization}x` }),
    await visitor.get(`/manage/v1/guilds?q=${token}&token=${token}`, { authorization }),
    await visitor.get(`/manage/v1/${token}`, { authorization: token }),
    await visitor.get(CHECKED, { authorization }),
    await visitor.send('POST', '/manage/v1/guilds', json, `{"guild_id":"${token}","name":5}`),
    await visitor.send('POST', '/manage/v1/guilds', json, `${token}{`),
  ];
}

const CHECKED = '/v7/vote-check?discord_id=200000000000000001';

/** An admin who reveals the key, which only that response may contain, and votes. */
export async function useSite(
  visitor: HttpsVisitor,
  enter: (visitor: HttpsVisitor) => Promise<HttpsAnswer>,
): Promise<HttpsAnswer[]> {
  const entered = await enter(visitor);
  const page = await visitor.get(`/dashboard/${DEMO_GUILD}/key`);
  const revealed = await visitor.post(`/dashboard/${DEMO_GUILD}/key/reveal`, { _csrf: tokenIn(page) });
  assert.match(revealed.text, /vty_[0-9A-Za-z]{36}/);
  const vote = await visitor.get(`/guild/${DEMO_GUILD}/vote`);
  await visitor.post(`/guild/${DEMO_GUILD}/vote`, { _csrf: tokenIn(vote) });
  const tabs = ['', '/activity', '/webhooks', '/settings'];
  const answers = [entered, page, vote];
  for (const tab of tabs) answers.push(await visitor.get(`/dashboard/${DEMO_GUILD}${tab}`));
  return answers;
}

export async function enterDemo(visitor: HttpsVisitor): Promise<HttpsAnswer> {
  const signIn = await visitor.get('/sign-in');
  return visitor.post('/sign-in', { _csrf: tokenIn(signIn), person: ALEX, back: '/dashboard' });
}

/** The same for a Discord user, including failures of Discord. Also returns the codes that it sent. */
export async function useDiscord(url: string, visitor: HttpsVisitor, discord: FakeDiscord) {
  discord.person.guilds = [{ id: DEMO_GUILD, name: 'Ours', owner: true, permissions: '8' }];
  const codes: string[] = [];
  const enter = async (browser: HttpsVisitor) => {
    const back = await consent(browser);
    codes.push(back.searchParams.get('code') ?? '');
    return browser.get(back.pathname + back.search);
  };
  for (const fault of ['error', 'nonsense', 'down'] as const) {
    discord.faults.token = fault;
    assert.equal((await enter(visitor)).status, 502);
  }
  discord.faults = {};
  const answers = await useSite(visitor, enter);
  discord.faults.guilds = 'error';
  const newcomer = newHttpsVisitor(url);
  answers.push(await enter(newcomer), await newcomer.get('/dashboard'));
  assert.equal(answers.at(-1)?.status, 502);
  // A token that cannot be revoked is logged.
  discord.faults.revoke = 'error';
  answers.push(await newcomer.post('/sign-out', { _csrf: tokenIn(await newcomer.get('/')) }));
  assert.equal(answers.at(-1)?.status, 303);
  await discord.untilCalled('revoke', 1);
  newcomer.close();
  return { answers, codes };
}

/** The address to which Discord redirects the browser after consent. */
async function consent(browser: HttpsVisitor): Promise<URL> {
  const { headers } = await browser.get('/sign-in?back=/dashboard');
  const answer = await fetch(String(headers.location), { redirect: 'manual' });
  return new URL(answer.headers.get('location') ?? '');
}
