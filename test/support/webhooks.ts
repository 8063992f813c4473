import type { Clock } from '../../src/domain/clock.ts';
import type { Secrets } from '../../src/domain/secrets.ts';
import type { Store } from '../../src/store/store.ts';
import type { Endpoints } from '../../src/store/webhooks/admin.ts';
import { createEndpoints } from '../../src/webhooks/endpoints.ts';
import { endpointDeps } from '../../src/webhooks/open.ts';

/** Endpoints as in the demo: receivers on this machine are allowed. */
export function testEndpoints(store: Store, clock: Clock, secrets: Secrets): Endpoints {
  return createEndpoints(endpointDeps({ store, clock, secrets, random: () => 0.5, allowsLoopback: true }));
}
