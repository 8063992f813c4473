/**
 * The networks of a voter: the hashes that represent them, and which other accounts voted from them.
 *
 *   const networks = await voterNetworks.of(address);
 *   const usages = await voterNetworks.usage(networks, userId);
 */
import { randomBytes } from 'node:crypto';
import { callerNetworks } from '../domain/address.ts';
import type { Clock } from '../domain/clock.ts';
import { hashNetwork, networkPeriod, type WeightedUsage } from '../domain/votes/networks.ts';
import type { IntegrityStore } from '../store/moderation/integrity.ts';
import type { CountedNetwork } from '../store/votes/votes.ts';

/** The networks that a vote is counted for, the smallest first. Empty if its origin is unknown. */
export type Networks = readonly CountedNetwork[];

export type VoterNetworks = {
  of(address: string | null): Promise<Networks>;
  /** The votes of other accounts from these networks within the last hour. */
  usage(networks: Networks, userId: string): Promise<WeightedUsage[]>;
};

type Options = { integrity: IntegrityStore; clock: Clock; key: Buffer };

const SALT_BYTES = 32;

export function createVoterNetworks({ integrity, clock, key }: Options): VoterNetworks {
  let known: { period: number; salt: string } | undefined;

  /** The salt of a period is loaded once. */
  async function currentSalt(): Promise<{ period: number; salt: string }> {
    const period = networkPeriod(clock());
    if (known?.period !== period) {
      const offered = randomBytes(SALT_BYTES).toString('base64url');
      known = { period, salt: await integrity.networkSalt(period, offered) };
    }
    return known;
  }

  return {
    async of(address) {
      if (address === null) return [];
      const { period, salt } = await currentSalt();
      return callerNetworks(address).map(({ network, weight }) => ({
        hash: hashNetwork(network, period, salt, key),
        weight,
      }));
    },
    usage(networks, userId) {
      const now = clock();
      return Promise.all(
        networks.map(async ({ hash, weight }) => ({
          ...(await integrity.networkUsage(hash, userId, now)),
          weight,
        })),
      );
    },
  };
}
