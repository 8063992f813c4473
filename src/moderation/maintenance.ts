import type { Maintenance } from '../domain/maintenance.ts';
import { type Moderator, moderate } from './moderator.ts';

/** Votes are refused from now on, by all processes within a second. Returns what is stored. */
export async function beginMaintenance(moderator: Moderator, message: string | null): Promise<Maintenance> {
  const { store, clock } = moderator;
  const since = (await store.maintenance.find())?.since ?? clock();
  const maintenance = { since, message };
  const detail = { reason: message };
  await moderate(moderator, { action: 'maintenance_started', guildId: null, detail }, () =>
    store.maintenance.begin(maintenance),
  );
  return maintenance;
}

/** Returns false if votes were already accepted. */
export async function endMaintenance(moderator: Moderator): Promise<boolean> {
  const { store } = moderator;
  if (!(await store.maintenance.find())) return false;
  return moderate(moderator, { action: 'maintenance_ended', guildId: null }, () => store.maintenance.end());
}
