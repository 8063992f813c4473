/**
 * The published document, used by an independent validator.
 *
 *   const published = readPublished(await live.call('/v7/openapi.json'));
 *   published.check('GET /v7/vote-check', answer);   // throws if the response is not as documented
 */
import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Document, Header, Path, Response } from '../../src/api/openapi/components.ts';
import type { LiveAnswer } from './live-server.ts';

/** Headers of HTTP itself, which a document does not list, and those that only browsers use. */
const OF_HTTP = ['content-type', 'content-length', 'connection', 'date', 'keep-alive', 'transfer-encoding'];
const FOR_BROWSERS = ['strict-transport-security', 'x-content-type-options'];

export type Published = ReturnType<typeof readPublished>;

export function readPublished(body: string) {
  const document: Document = JSON.parse(body);
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addFormat('ip', (text) => isIP(text) !== 0);
  // Schemas are inside the document, whose own keywords are not part of JSON Schema.
  ajv.addVocabulary(Object.keys(document));
  ajv.addSchema(closed(document), 'openapi', undefined, false);
  return {
    document,
    /** `operation` is a method and a path. */
    check: (operation: string, answer: LiveAnswer) => check(ajv, document.paths, operation, answer),
    /** Checks a value against a schema of the document, and rejects unknown fields. */
    validate: (pointer: string, value: unknown) => assertValid(validatorAt(ajv, pointer), value, pointer),
  };
}

function check(ajv: Ajv2020, paths: Record<string, Path>, operation: string, answer: LiveAnswer): void {
  const [method = '', path = ''] = operation.toLowerCase().split(' ');
  const response = paths[path]?.[method]?.responses[answer.status];
  assert.ok(response, `${answer.status} is not documented for ${operation}: ${answer.body}`);
  checkHeaders(ajv, response, answer);
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  const pointer = [
    'paths',
    path,
    method,
    'responses',
    answer.status,
    'content',
    'application/json',
    'schema',
  ];
  assertValid(validatorAt(ajv, toPointer(pointer)), JSON.parse(answer.body), answer.body);
}

function checkHeaders(ajv: Ajv2020, { headers = {} }: Response, answer: LiveAnswer): void {
  const documented = new Map(Object.entries(headers).map(([name, header]) => [name.toLowerCase(), header]));
  for (const [name, header] of documented) {
    const value = answer.headers[name];
    assert.ok(value !== undefined || !header.required, `${answer.status} lacks ${name}`);
    if (value !== undefined)
      assertValid(ajv.compile(header.schema), readHeader(header, value), `${name}: ${value}`);
  }
  const known = [...documented.keys(), ...OF_HTTP, ...FOR_BROWSERS];
  const unknown = Object.keys(answer.headers).filter((name) => !known.includes(name));
  assert.deepEqual(unknown, [], `headers of ${answer.status} that the document does not name`);
}

/** A header is text; one documented as a number contains digits. */
function readHeader({ schema }: Header, value: unknown): unknown {
  return 'type' in schema && schema.type === 'integer' ? Number(value) : value;
}

function assertValid(validate: ValidateFunction, value: unknown, told: string): void {
  assert.ok(validate(value), `${told}: ${JSON.stringify(validate.errors)}`);
}

function validatorAt(ajv: Ajv2020, pointer: string): ValidateFunction {
  return ajv.compile({ $ref: `openapi#${pointer}`, unevaluatedProperties: false });
}

/** A path in the document as a JSON pointer in a URL. */
export function toPointer(segments: readonly (string | number)[]): string {
  const escaped = segments.map((segment) => String(segment).replaceAll('~', '~0').replaceAll('/', '~1'));
  return `/${escaped.map(encodeURIComponent).join('/')}`;
}

/** The document with every inner object closed, so that unknown fields are found. */
function closed(document: Document): object {
  const close = (schema: object) => ({ ...schema, unevaluatedProperties: false });
  const revive = (key: string, value: unknown): unknown => {
    if (key === 'items' && isObject(value)) return close(value);
    if (key !== 'properties' || !isObject(value)) return value;
    const isInner = ([, inner]: [string, unknown]) =>
      isObject(inner) && ('properties' in inner || '$ref' in inner);
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, isInner([name, inner]) ? close(inner) : inner]),
    );
  };
  return JSON.parse(JSON.stringify(document), revive);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
