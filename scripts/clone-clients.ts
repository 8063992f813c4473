/** The client libraries that a clone has only as sources. `src/site/docs/downloads.ts` packs them when somebody asks for them. */
import { buildWheel } from './python-wheel.ts';
import { packSdk, SDK } from './sdk-package.ts';

export async function packClients(root: string): Promise<{ name: string; body: Buffer }[]> {
  return [{ name: SDK, body: await packSdk(root) }, buildWheel(root)];
}
