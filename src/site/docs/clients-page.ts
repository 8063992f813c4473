/** The page that lists the client libraries with their checksums. */

import { formatNumber } from '../layout/format.ts';
import { type Html, html } from '../layout/html.ts';
import type { PageContext } from '../layout/page.ts';
import { clientsMessages } from './clients-messages.ts';
import { DOWNLOADS, type DownloadName } from './downloads.ts';
import { codeBlock, FILES_PATH } from './pages.ts';

const BYTES_PER_KB = 1000;

/** `install` follows the download. */
const CLIENTS: { name: DownloadName; language: string; guide: string; install?: string }[] = [
  {
    name: 'votary-sdk.tgz',
    language: 'JavaScript, TypeScript',
    guide: 'discord-bot-node',
    install: 'npm install ./votary-sdk.tgz',
  },
  { name: 'votary.py', language: 'Python', guide: 'python' },
  { name: 'Votary.php', language: 'PHP', guide: 'php-cms' },
];

export function clientsView({ locale, origin }: PageContext): Html {
  const text = clientsMessages[locale];
  return html`<h1>${text.title}</h1><p class="muted lead">${text.lead}</p>
${CLIENTS.map((client, index) => clientView(client, `client-${index}`, { locale, origin }))}
<h2>${text.checksums}</h2><p>${text.checksumsLead}</p>
<table class="guide-table"><thead><tr><th>${text.file}</th><th>${text.size}</th><th>SHA-256</th></tr></thead>
<tbody>${[...DOWNLOADS].map(
    ([name, { body, sha256 }]) =>
      html`<tr><td><code>${name}</code></td><td>${formatNumber(Math.ceil(body.length / BYTES_PER_KB), locale)} ${text.kilobytes}</td><td class="checksum"><code>${sha256}</code></td></tr>\n`,
  )}</tbody></table>`;
}

function clientView(
  { name, language, guide, install }: (typeof CLIENTS)[number],
  id: string,
  { locale, origin }: Pick<PageContext, 'locale' | 'origin'>,
): Html {
  const text = clientsMessages[locale];
  const url = `${FILES_PATH}/${name}`;
  const heading = html`<h2>${language}</h2>`;
  if (!DOWNLOADS.has(name)) {
    return html`${heading}<p>${text.notPacked}</p>${codeBlock('cd sdk && npm pack', 'sh', id, locale)}`;
  }
  const commands = [`curl -fsSO ${origin}${url}`, ...(install ? [install] : [])].join('\n');
  return html`${heading}<p><code><a href="${url}" download>${name}</a></code> · <a href="/docs/guides/${guide}">${text.guide}</a></p>
${codeBlock(commands, 'sh', id, locale)}`;
}
