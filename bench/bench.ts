import type { DataSets } from './data-sets/ensure.ts';
import type { LoadGenerator } from './load/load.ts';
import type { Plan } from './plan.ts';
import type { Revision } from './servers/revision.ts';

/** What every measure gets. `against` is measured beside the vote checks. */
export type Bench = { data: DataSets; load: LoadGenerator; plan: Plan; against?: Revision };
