/**
 * HTML as values. Interpolated values are escaped unless they are HTML themselves:
 *
 *   html`<p>${guild.name}</p>${votes.map((vote) => html`<li>${vote.userId}</li>`)}`
 */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** `null`, `undefined` and `false` render nothing, for `${isPremium && html`…`}`. */
export type Content = Html | string | number | null | undefined | false | readonly Content[];

export function html(parts: TemplateStringsArray, ...values: Content[]): Html {
  let text = parts[0] ?? '';
  for (const [index, value] of values.entries()) text += render(value) + (parts[index + 1] ?? '');
  return new Html(text);
}

/** Safe as text and inside a quoted attribute, the only places where templates may use a value. */
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
