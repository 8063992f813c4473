import type { Instant } from '../../../domain/clock.ts';
import type { StoredKey } from '../../../store/guilds.ts';
import { type RevealedKey, revealKey } from '../../../store/keys.ts';
import type { DashboardDeps } from '../access.ts';

export type KeyState =
  | { kind: 'none' }
  | { kind: 'masked'; lastFour: string; createdAt: Instant; version: string }
  | { kind: 'shown'; key: string; createdAt: Instant; version: string }
  /** The key works but cannot be shown, because it was encrypted with a different master secret. */
  | { kind: 'sealed-away'; createdAt: Instant; version: string };

export async function readKeyState(
  { store, secrets }: DashboardDeps,
  guildId: string,
  { isShown }: { isShown: boolean },
): Promise<KeyState> {
  const stored = await store.guilds.findKey(guildId);
  const revealed = await revealKey(store, secrets, guildId);
  return stored ? stateOf(stored, revealed, isShown) : { kind: 'none' };
}

function stateOf(stored: StoredKey, revealed: RevealedKey, isShown: boolean): KeyState {
  const common = { createdAt: stored.createdAt, version: versionOf(stored) };
  if (!revealed.shown)
    return revealed.reason === 'no-key' ? { kind: 'none' } : { kind: 'sealed-away', ...common };
  if (isShown) return { kind: 'shown', key: revealed.key, ...common };
  return { kind: 'masked', lastFour: revealed.key.slice(-4), ...common };
}

/**
 * Identifies a key without revealing it. A form names the key it replaces, so a second click or an old page never
 * revokes a key that was generated in the meantime.
 */
export function versionOf(stored: StoredKey | undefined): string {
  return stored ? stored.hash.slice(0, 16) : '';
}
