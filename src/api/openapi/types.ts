/** The parts of OpenAPI 3.1 that our document uses. */

/** A JSON Schema, or a reference to one. */
export type Schema = { readonly [keyword: string]: unknown };

export type Example = { summary: string; value: object };

export type Header = {
  description: string;
  required?: boolean;
  schema: Schema;
  example: string | number;
};

export type Parameter = {
  name: string;
  in: 'query' | 'header' | 'path';
  required: boolean;
  deprecated?: boolean;
  description?: string;
  schema: Schema;
  example?: string;
};

export type Media = { schema: Schema; example?: object; examples?: Record<string, Example> };

export type Response = {
  description: string;
  headers?: Record<string, Header>;
  content?: Record<string, Media>;
};

export type Operation = {
  operationId?: string;
  tags?: string[];
  summary?: string;
  description?: string;
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, Response>;
};

/** The operations of a path by method; events are sent with POST. */
export type Path = Record<string, Operation>;
export type Webhook = { post: Operation };

export type Document = {
  openapi: string;
  info: object;
  servers: object[];
  tags: object[];
  paths: Record<string, Path>;
  webhooks: Record<string, Webhook>;
  security: Record<string, string[]>[];
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, object> };
};
