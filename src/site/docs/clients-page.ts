/** The page that lists the client libraries with their checksums. */

import { formatNumber } from '../layout/format.ts';
import { type Html, html } from '../layout/html.ts';
import type { PageContext } from '../layout/page.ts';
import { clientsMessages } from './clients-messages.ts';
import { CHECKSUMS, type Download, type DownloadName, isWheel } from './downloads.ts';
import { codeBlock, FILES_PATH } from './pages.ts';

const BYTES_PER_KB = 1000;

type Client = {
  name: DownloadName;
  language: string;
  guide: string;
  /** Follows the download. */
  install?: string;
  /** Whether there is a wheel, too, for `pip`. */
  hasWheel?: true;
  /** For a site without the file. */
  pack?: { command: string; reason: 'notPacked' | 'noPlugin' };
};

const CLIENTS: Client[] = [
  {
    name: 'votary-sdk.tgz',
    language: 'JavaScript, TypeScript',
    guide: 'discord-bot-node',
    install: 'npm install ./votary-sdk.tgz',
    pack: { command: 'node scripts/sdk-package.ts', reason: 'notPacked' },
  },
  {
    name: 'votary-minecraft.jar',
    language: 'Minecraft (Paper, Spigot)',
    guide: 'minecraft-paper',
    pack: { command: 'node scripts/minecraft-plugin.ts', reason: 'noPlugin' },
  },
  { name: 'votary.py', language: 'Python', guide: 'python', hasWheel: true },
  { name: 'Votary.php', language: 'PHP', guide: 'php-cms' },
];

type Downloads = ReadonlyMap<string, Download>;

export function clientsView({ locale, origin }: PageContext, downloads: Downloads): Html {
  const text = clientsMessages[locale];
  return html`<h1>${text.title}</h1><p class="muted lead">${text.lead}</p>
${CLIENTS.map((client, index) => clientView(client, `client-${index}`, downloads, { locale, origin }))}
<h2>${text.checksums}</h2><p>${text.checksumsLead} ${fileLink(CHECKSUMS)}</p>
<table class="guide-table"><thead><tr><th>${text.file}</th><th>${text.size}</th><th>SHA-256</th></tr></thead>
<tbody>${[...downloads].map(
    ([name, { body, sha256 }]) =>
      html`<tr><td>${fileLink(name)}</td><td>${formatNumber(Math.ceil(body.length / BYTES_PER_KB), locale)} ${text.kilobytes}</td><td class="checksum"><code>${sha256}</code></td></tr>\n`,
  )}</tbody></table>`;
}

function clientView(
  { name, language, guide, install, hasWheel, pack }: Client,
  id: string,
  downloads: Downloads,
  { locale, origin }: Pick<PageContext, 'locale' | 'origin'>,
): Html {
  const text = clientsMessages[locale];
  const heading = html`<h2>${language}</h2>`;
  if (pack && !downloads.has(name)) {
    return html`${heading}<p>${text[pack.reason]}</p>${codeBlock(pack.command, 'sh', id, locale)}`;
  }
  const url = `${origin}${FILES_PATH}`;
  const commands = [`curl -fsSO ${url}/${name}`, ...(install ? [install] : [])];
  const wheel = hasWheel && [...downloads.keys()].find(isWheel);
  if (wheel) commands.push(`# ${text.or}`, `pip install ${url}/${wheel}`);
  return html`${heading}<p>${fileLink(name)} · <a href="/docs/guides/${guide}">${text.guide}</a></p>
${codeBlock(commands.join('\n'), 'sh', id, locale)}`;
}

function fileLink(name: string): Html {
  return html`<code><a href="${FILES_PATH}/${name}" download>${name}</a></code>`;
}
