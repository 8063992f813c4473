import { readFileSync } from 'node:fs';
import { runPaced } from './paced.ts';

const { requestsFile, ...job } = JSON.parse(process.argv[2] ?? '{}');
const requests = JSON.parse(readFileSync(requestsFile, 'utf8'));
const result = await runPaced({ ...job, requests, connections: 32 });
process.send?.(result, () => process.exit());
