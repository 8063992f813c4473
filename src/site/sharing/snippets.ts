/** The vote button that admins embed elsewhere: a link around the badge. */
import type { Guild } from '../../domain/guild.ts';
import type { Locale } from '../../domain/locale.ts';
import { copyButton } from '../dashboard/format.ts';
import { escapeHtml, type Html, html } from '../layout/html.ts';
import { badgePath } from '../paths.ts';
import { votePath } from '../vote/vote-link.ts';
import { SNIPPET_NAMES, type SnippetFormat, sharingMessages } from './messages.ts';

export function voteButtonView(locale: Locale, site: string, guild: Pick<Guild, 'guildId' | 'name'>): Html {
  const text = sharingMessages[locale];
  const image = badgePath(guild.guildId, locale);
  const snippets = snippetsFor(locale, site, guild);
  return html`<section class="card" id="vote-button" aria-labelledby="vote-button-title">
<div class="stack"><h2 id="vote-button-title">${text.title}</h2><p class="muted measure">${text.hint}</p>
<p><a href="${votePath(guild.guildId)}"><img src="${image}" alt="${text.alt(guild.name)}" height="20"></a></p></div>
${Object.entries(snippets).map(([format, snippet]) => snippetBlock(locale, format as SnippetFormat, snippet))}
</section>`;
}

function snippetBlock(locale: Locale, format: SnippetFormat, snippet: string): Html {
  const id = `vote-button-${format}`;
  return html`<div class="stack part"><h3>${SNIPPET_NAMES[format]}</h3>
<pre class="wrap"><code id="${id}">${snippet}</code></pre>
<div class="row">${copyButton(locale, id, sharingMessages[locale].copy[format])}</div></div>`;
}

export function snippetsFor(
  locale: Locale,
  site: string,
  { guildId, name }: Pick<Guild, 'guildId' | 'name'>,
): Record<SnippetFormat, string> {
  const [link, image] = [site + votePath(guildId), site + badgePath(guildId, locale)];
  const alt = sharingMessages[locale].alt(name);
  return {
    html: `<a href="${escapeHtml(link)}"><img src="${escapeHtml(image)}" alt="${escapeHtml(alt)}" height="20"></a>`,
    markdown: `[![${alt.replace(/[\\[\]<>*_`!]/g, '\\$&')}](${image})](${link})`,
    bbcode: `[url=${link}][img]${image}[/img][/url]`,
  };
}
