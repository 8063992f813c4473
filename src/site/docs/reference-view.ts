/**
 * The API reference as HTML, made from the OpenAPI document: readable without scripts, and small. The interactive
 * reference, which can send requests, is a page of its own.
 */
import { Marked } from 'marked';
import type { Document, Media, Operation, Parameter, Schema } from '../../api/openapi/components.ts';
import { isRecord } from '../../domain/record.ts';
import { type Content, escapeHtml, Html, html } from '../layout/html.ts';

const SCHEMA_PREFIX = '#/components/schemas/';

/** Headings are linked by their plain name, such as #authentication. */
const marked = new Marked({
  async: false,
  renderer: {
    heading({ tokens, depth, text }) {
      const level = Math.max(depth, 2);
      return `<h${level} id="${escapeHtml(slugOf(text))}">${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
    code({ text }) {
      return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
    },
  },
});

/** The descriptions are trusted text of this program. */
function markdown(text: string | undefined): Content {
  if (text === undefined || text === '') return null;
  return new Html(String(marked.parse(text)).replaceAll('<table>', '<table class="guide-table">'));
}

function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .replace(/-$/, '');
}

type Entry = { path: string; method: string; operation: Operation };

export type RenderedReference = { contents: Html; view: Html };

const rendered = new WeakMap<Document, RenderedReference>();

export function renderReference(document: Document): RenderedReference {
  const reference = rendered.get(document) ?? {
    contents: referenceContents(document),
    view: referenceView(document),
  };
  rendered.set(document, reference);
  return reference;
}

function referenceView(document: Document): Html {
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Entry => ({ path, method, operation })),
  );
  const tags = document.tags.map(readTag);
  return html`${markdown(textOf(document.info, 'description'))}
${tags.map(({ name, description }) => {
  const own = entries.filter(({ operation }) => operation.tags?.[0] === name);
  return (
    own.length > 0 &&
    html`<h2 id="${slugOf(name)}">${name}</h2>${markdown(description)}${own.map(operationView)}`
  );
})}
${document.webhooks && html`<h2 id="events">Events</h2>${Object.entries(document.webhooks).map(([name, { post }]) => operationView({ path: name, method: 'event', operation: post }))}`}
<h2 id="schemas">Schemas</h2>
${Object.entries(document.components.schemas).map(([name, schema]) => schemaView(name, schema))}`;
}

/** Links to the groups of operations, and to each operation. */
function referenceContents(document: Document): Html {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  return html`<ul>${document.tags.map(readTag).map(({ name }) => {
    const own = operations.filter(({ tags }) => tags?.[0] === name);
    if (own.length === 0) return null;
    return html`<li><a href="#${slugOf(name)}">${name}</a><ul>${own.map(({ operationId, summary }) => html`<li><a href="#${operationId}">${summary}</a></li>`)}</ul></li>`;
  })}
${document.webhooks && html`<li><a href="#events">Events</a></li>`}<li><a href="#schemas">Schemas</a></li></ul>`;
}

function readTag(tag: object): { name: string; description: string | undefined } {
  return { name: textOf(tag, 'name') ?? '', description: textOf(tag, 'description') };
}

function textOf(source: object, key: string): string | undefined {
  const value: unknown = Reflect.get(source, key);
  return typeof value === 'string' ? value : undefined;
}

function operationView({ path, method, operation }: Entry): Html {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const body = requestBody?.content['application/json'];
  return html`<section class="operation" aria-labelledby="${operationId ?? slugOf(path)}"><h3 id="${operationId ?? slugOf(path)}">${summary ?? path}</h3>
<p class="operation-path"><strong>${method.toUpperCase()}</strong> <code>${path}</code></p>
${markdown(description)}
${parameters.length > 0 && table('Parameters', parameters.map(parameterRow))}
${body && html`<h4>Body</h4>${mediaView(body)}`}
<h4>Responses</h4>
${Object.entries(responses).map(
  ([status, response]) =>
    html`<details${status.startsWith('2') && html` open`}><summary><strong>${status}</strong> ${response.description}</summary>${Object.values(response.content ?? {}).map(mediaView)}</details>`,
)}
</section>
`;
}

type Row = { name: string; type: Content; description: string | undefined };

function parameterRow({ name, in: where, required, schema, description, deprecated }: Parameter): Row {
  const notes = [where, required ? 'required' : 'optional', ...(deprecated ? ['deprecated'] : [])];
  return {
    name,
    type: html`${typeOf(schema)}<br><span class="muted">${notes.join(', ')}</span>`,
    description,
  };
}

function table(title: string, rows: readonly Row[]): Html {
  return html`<h4>${title}</h4><div class="table-frame" tabindex="0" role="group" aria-label="${title}"><table class="guide-table"><thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Description</th></tr></thead>
<tbody>${rows.map(({ name, type, description }) => html`<tr><th scope="row"><code>${name}</code></th><td>${type}</td><td>${markdown(description)}</td></tr>`)}</tbody></table></div>`;
}

function mediaView({ schema, example, examples }: Media): Html {
  const values = [...(example ? [example] : []), ...Object.values(examples ?? {}).map(({ value }) => value)];
  return html`<p>${typeOf(schema)}</p>
${values.map((value) => html`<pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre>`)}`;
}

function schemaView(name: string, schema: Schema): Html {
  const properties = isRecord(schema.properties) ? Object.entries(schema.properties) : [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  const rows = properties.map(([property, value]): Row => {
    const own = isRecord(value) ? value : {};
    const note = required.includes(property) ? null : html`<br><span class="muted">optional</span>`;
    return { name: property, type: html`${typeOf(own)}${note}`, description: textOf(own, 'description') };
  });
  return html`<section class="operation" aria-labelledby="schema-${name}"><h3 id="schema-${name}">${name}</h3>
${markdown(textOf(schema, 'description'))}${rows.length > 0 ? table('Fields', rows) : html`<p>${typeOf(schema)}</p>`}</section>
`;
}

/** The type in words, with its limits: "string, 1 to 191 characters". */
function typeOf(schema: Schema): Content {
  const reference = schema.$ref;
  if (typeof reference === 'string' && reference.startsWith(SCHEMA_PREFIX)) {
    const name = reference.slice(SCHEMA_PREFIX.length);
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices))
    return choices.filter(isRecord).map((choice, index) => html`${index > 0 && ' or '}${typeOf(choice)}`);
  if (Array.isArray(schema.enum)) return schema.enum.map(String).join(', ');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (isRecord(schema.items)) return html`list of ${typeOf(schema.items)}`;
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : String(schema.type ?? 'any');
  return [type, ...limitsOf(schema)].join(', ');
}

function limitsOf(schema: Schema): string[] {
  const between = (from: unknown, to: unknown, unit: string) => {
    if (from === undefined && to === undefined) return [];
    if (from === undefined) return [`at most ${String(to)}${unit}`];
    return [to === undefined ? `at least ${String(from)}${unit}` : `${String(from)} to ${String(to)}${unit}`];
  };
  return [
    ...between(schema.minimum, schema.maximum, ''),
    ...between(schema.minLength, schema.maxLength, ' characters'),
    ...(schema.default === undefined ? [] : [`default ${String(schema.default)}`]),
  ];
}
