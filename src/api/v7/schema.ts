/**
 * Plain JSON Schema, from one definition: the properties. The same objects validate parameters and become the
 * OpenAPI document, where an object with a title becomes a named schema. Which properties are required, and
 * the TypeScript types, follow from them.
 */

type Scalars = { string: string; integer: number; boolean: boolean; null: null };

/** The TypeScript type of a schema, for the keywords that our schemas use. */
export type Static<Schema> = Schema extends { const: infer Value }
  ? Value
  : Schema extends { enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { anyOf: readonly (infer Option)[] }
      ? Static<Option>
      : Schema extends { properties: infer P; required: readonly (infer Required)[] }
        ? StaticObject<P, Required>
        : Schema extends { type: 'array'; items: infer Item }
          ? Static<Item>[]
          : Schema extends { type: infer Type extends keyof Scalars | readonly (keyof Scalars)[] }
            ? Scalars[Type extends readonly (infer One)[] ? One & keyof Scalars : Type & keyof Scalars]
            : unknown;

type StaticObject<P, Required> = {
  [Name in keyof P as Name extends Required ? Name : never]: Static<P[Name]>;
} & { [Name in keyof P as Name extends Required ? never : Name]?: Static<P[Name]> };

type Properties = Readonly<Record<string, object>>;

/** A response, or a part of one. All properties are always present, except those that are listed as optional. */
export function object<const P extends Properties, const O extends keyof P & string = never>(
  title: string,
  properties: P,
  optional: readonly O[] = [],
) {
  const isOptional = new Set<string>(optional);
  const required = Object.keys(properties).filter(
    (name): name is Exclude<keyof P & string, O> => !isOptional.has(name),
  );
  return { title, type: 'object', properties, required } as const;
}

type WithDefault<P extends Properties> = {
  [Name in keyof P & string]: P[Name] extends { default: unknown } ? Name : never;
}[keyof P & string];

/** The parameters of a v7 request. */
export function query<const P extends Properties>(properties: P) {
  return parameters({ ...properties, ...commonParameters });
}

/** The parameters of a request. All of them can be omitted; a handler always finds those that have a default. */
export function parameters<const P extends Properties>(properties: P) {
  const required = Object.keys(properties).filter(
    (name): name is WithDefault<P> => 'default' in (properties[name] ?? {}),
  );
  return { type: 'object', properties, required } as const;
}

export const LocaleParameter = {
  type: 'string',
  description:
    'Language of messages: `en` or `fr`. Takes precedence over the headers; any other value means English.',
} as const;

const commonParameters = {
  api_token: {
    type: 'string',
    deprecated: true,
    description: 'Deprecated: the key in the URL. URLs end up in logs and histories; send a header instead.',
  },
  locale: LocaleParameter,
} as const;
