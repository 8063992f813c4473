/**
 * A billing STUB: no payment is taken. On a real site `pay` is called when your payment provider confirms a payment.
 */
import type { VotaryManager } from '@votary/sdk/manage';
import { HttpError } from './http.ts';

const PERIOD_MS = 30 * 24 * 60 * 60 * 1000;

export type Billing = {
  /** Adds 30 days of Premium, once per order. Returns when it ends. */
  pay(orderId: string, guildId: string): Promise<Date>;
};

export function createBilling(manager: VotaryManager): Billing {
  // A real site keeps its orders in its database.
  const orders = new Map<string, { guildId: string; premiumUntil: Date }>();
  let last: Promise<unknown> = Promise.resolve();

  const pay = async (orderId: string, guildId: string) => {
    if (!/^[0-9a-f-]{36}$/.test(orderId)) throw new HttpError(400, 'Open the page again, and pay there.');
    const order = orders.get(orderId) ?? { guildId, premiumUntil: await nextEnd(manager, guildId) };
    if (order.guildId !== guildId) throw new HttpError(400, 'This order is for another community.');
    // The date is stored before it is sent: a confirmation that arrives twice sets the same date again.
    orders.set(orderId, order);
    await manager.updateGuild(guildId, { premiumUntil: order.premiumUntil });
    return order.premiumUntil;
  };

  return {
    pay: (orderId, guildId) => {
      // One after the other: two payments for one community must not both extend the same date.
      const paid = last.then(() => pay(orderId, guildId));
      last = paid.catch(() => undefined);
      return paid;
    },
  };
}

async function nextEnd(manager: VotaryManager, guildId: string): Promise<Date> {
  const { premiumUntil } = await manager.getGuild(guildId);
  return new Date(Math.max(Date.now(), premiumUntil?.getTime() ?? 0) + PERIOD_MS);
}
