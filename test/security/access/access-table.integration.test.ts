import { testAccessTable } from './test-access-table.ts';

testAccessTable('discord');
