/**
 * HTML as values. Whatever is put into a template is escaped, unless it is HTML itself:
 *
 *   html`<p>${guild.name}</p>${votes.map((vote) => html`<li>${vote.userId}</li>`)}`
 */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** `null`, `undefined` and `false` leave nothing, so that `${isPremium && html`…`}` reads well. */
export type Content = Html | string | number | null | undefined | false | readonly Content[];

export function html(parts: TemplateStringsArray, ...values: Content[]): Html {
  let text = parts[0] ?? '';
  for (const [index, value] of values.entries()) text += render(value) + (parts[index + 1] ?? '');
  return new Html(text);
}

/** Safe as text and inside a quoted attribute: the only two places where templates may put a value. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function render(value: Content): string {
  if (value instanceof Html) return value.text;
  if (value === null || value === undefined || value === false) return '';
  if (typeof value === 'string') return escapeHtml(value);
  if (typeof value === 'number') return String(value);
  return value.map(render).join('');
}
