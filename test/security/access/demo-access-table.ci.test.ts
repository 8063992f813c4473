/** The demo shares every route with a service but those of its sign-in, which test/site/sign-in tests too. */
import { testAccessTable } from './test-access-table.ts';

testAccessTable('demo');
