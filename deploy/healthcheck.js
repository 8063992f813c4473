// For the health check of a container: exits with 0 if the service on VOTARY_PORT responds to /healthz.
import { get as getPlain } from 'node:http';
import { get as getTls } from 'node:https';

const isBehindProxy = Boolean(process.env.VOTARY_TRUSTED_PROXIES);
const target = { host: '127.0.0.1', port: process.env.VOTARY_PORT || 8443, path: '/healthz', timeout: 3000 };
// The certificate is not checked, because the request goes to this machine.
const call = isBehindProxy ? getPlain(target) : getTls({ ...target, rejectUnauthorized: false });
call.on('timeout', () => call.destroy(new Error('no response')));
call.on('error', () => process.exit(1));
call.on('response', ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1));
