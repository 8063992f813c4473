/**
 * The webhooks tab of a guild, and a way to send its pending deliveries without a worker.
 *
 *   const webhooks = await openWebhooksTab(t, await open());
 *   const endpointId = await webhooks.addEndpoint(receiver.url);
 *   await webhooks.castVote();
 *   await webhooks.deliver();
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { MINUTE_MS } from '../../../../src/domain/clock.ts';
import { attemptDelivery } from '../../../../src/webhooks/attempt.ts';
import { endpointDeps } from '../../../../src/webhooks/open.ts';
import { claimDue } from '../../../store/webhook-fixtures.ts';
import type { Api } from '../../../support/api.ts';
import type { PageAnswer } from '../../visitor.ts';
import { type Dashboard, openDashboard } from '../open-dashboard.ts';

export type WebhooksTab = Dashboard & {
  tab(): Promise<PageAnswer>;
  /** Submits the form as Alex. */
  add(url: string, ...events: string[]): Promise<PageAnswer>;
  /** The same, and returns the id of the new endpoint. */
  addEndpoint(url: string, ...events: string[]): Promise<string>;
  /** Presses a button of the tab as Alex. */
  press(action: string, fields?: Record<string, string>): Promise<PageAnswer>;
  /** Sends a test and follows to the page that shows its result. */
  sendTest(endpointId: string, type?: string): Promise<PageAnswer>;
  castVote(): Promise<void>;
  /** Attempts the due deliveries of this guild once. */
  deliver(): Promise<void>;
};

let votes = 0;

export async function openWebhooksTab(t: TestContext, api: Api): Promise<WebhooksTab> {
  const dashboard = await openDashboard(t, api);
  const { alex, path, store, clock, secrets, guildId } = dashboard;
  const deps = endpointDeps({ store, clock, secrets, random: () => 0.5, allowsLoopback: true });
  const tab = () => alex.get(path('/webhooks'));
  const press: WebhooksTab['press'] = async (action, fields) =>
    alex.submit(await tab(), path(`/webhooks${action}`), fields);
  const add: WebhooksTab['add'] = (url, ...events) =>
    press('', { url, ...Object.fromEntries(events.map((event) => [event, 'on'])) });
  return {
    ...dashboard,
    tab,
    press,
    add,
    async addEndpoint(url, ...events) {
      const before = await store.webhooks.listEndpoints(guildId);
      const answer = await add(url, ...(events.length === 0 ? ['vote_received'] : events));
      assert.deepEqual([answer.status, answer.location], [303, path('/webhooks?done=webhook-added')]);
      const known = new Set(before.map(({ endpointId }) => endpointId));
      const added = (await store.webhooks.listEndpoints(guildId)).find(
        ({ endpointId }) => !known.has(endpointId),
      );
      assert.ok(added);
      return added.endpointId;
    },
    async sendTest(endpointId, type) {
      const answer = await press(`/${endpointId}/test`, type === undefined ? {} : { type });
      assert.equal(answer.status, 303);
      const { pathname, search } = new URL(answer.location ?? '', 'https://votary.invalid');
      return alex.get(pathname + search);
    },
    async castVote() {
      votes += 1;
      const userId = String(310_000_000_000_000_000n + BigInt(votes));
      const vote = { guildId, userId, castAt: clock(), externalId: null, isDoubled: false };
      assert.equal((await store.votes.cast(vote)).kind, 'accepted');
    },
    async deliver() {
      const now = clock();
      const request = { now, until: now + MINUTE_MS, guildIds: [guildId], except: [], limit: 100 };
      for (const delivery of await claimDue(store, request)) await attemptDelivery(deps, delivery);
    },
  };
}

/** The rows of the log, each as one line of text. */
export function logRows({ text }: PageAnswer): string[] {
  const table = /<table class="stacked log">.*?<\/table>/s.exec(text)?.[0] ?? '';
  return [...table.matchAll(/<tr><td.*?<\/tr>/gs)].map(([row]) =>
    row
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  );
}

export function secretIn({ text }: PageAnswer): string | undefined {
  return /whsec_[0-9A-Za-z+/]{43}=/.exec(text)?.[0];
}
