import type { Path, Schema } from './types.ts';

type Named = { paths: Record<string, Path>; schemas: Record<string, Schema> };

/**
 * Moves each schema with a title to the components under that name, and refers to it instead: what two answers
 * share is described once, and generated clients get a type with a good name.
 */
export function nameSchemas(paths: object): Named {
  const schemas: Named['schemas'] = {};
  // Inner values are revived before outer ones, so a named schema refers to those inside it already.
  const revive = (_key: string, value: unknown): unknown => {
    if (!isTitled(value)) return value;
    const { title, ...schema } = value;
    schemas[title] = schema;
    return { $ref: `#/components/schemas/${title}` };
  };
  return { paths: JSON.parse(JSON.stringify(paths), revive), schemas };
}

function isTitled(value: unknown): value is Schema & { title: string } {
  return typeof value === 'object' && value !== null && 'title' in value && typeof value.title === 'string';
}
