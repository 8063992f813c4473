import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { formatVoteLine } from '../../src/transfer.ts';
import { guildId, NOW, type Shape, userId } from './shape.ts';

/** Past votes for `votes import`, with guilds and users interleaved as in the export of another service. */
export function ensureImportFile(path: string, { guilds, imported }: Shape): string {
  if (existsSync(path)) return path;
  const lines = Array.from({ length: imported }, (_, i) => {
    const guild = (i * 7919) % guilds;
    return formatVoteLine({
      guildId: guildId(guild),
      userId: userId(guild, 500 + (i % 100)),
      castAt: NOW - 40 * 86_400_000 + i * 1000,
      externalId: i % 4 === 0 ? `imported_${i}` : null,
      isDoubled: i % 7 === 0,
      claimedAt: null,
    });
  });
  writeFileSync(`${path}.new`, `${lines.join('\n')}\n`);
  renameSync(`${path}.new`, path);
  return path;
}
