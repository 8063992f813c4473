/**
 * A real nginx in front of a service, configured like that of an operator who has not read the guide.
 *
 *   const nginx = await startNginx(t, { certificates: join(home.dataDir, 'tls'), directives: `proxy_pass ${served.url};` });
 *   const visitor = newHttpsVisitor(nginx.url);
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { accepts } from './accepts.ts';
import { freePort } from './free-port.ts';

/** `certificates` is a folder with cert.pem and key.pem; the directives apply to every path. */
export type NginxOptions = { certificates: string; directives: string };

export async function startNginx(t: TestContext, options: NginxOptions): Promise<{ url: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'votary-nginx-'));
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  await writeFile(file, configuration(folder, port, options));
  const nginx = spawn('nginx', ['-p', folder, '-c', file, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  t.after(async () => {
    const exit = once(nginx, 'exit');
    if (nginx.exitCode === null && nginx.kill('SIGTERM')) await exit;
    await rm(folder, { recursive: true });
  });
  while (!(await accepts(port))) {
    if (nginx.exitCode !== null) throw new Error(`nginx ended with ${nginx.exitCode}`);
  }
  return { url: `https://127.0.0.1:${port}` };
}

function configuration(folder: string, port: number, { certificates, directives }: NginxOptions): string {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `daemon off; master_process off; worker_processes 1; pid ${folder}/nginx.pid;
events { worker_connections 64; }
http {
  access_log off;
  ${kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')}
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${certificates}/cert.pem;
    ssl_certificate_key ${certificates}/key.pem;
    location / { ${directives} }
  }
}`;
}
