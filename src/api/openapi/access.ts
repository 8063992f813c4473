import type { Parameter } from './types.ts';

/**
 * The ways to send the key that generated clients should offer. `api_token` in the address is a deprecated parameter
 * of each operation: as a scheme it would be an equal choice, and generators pick it.
 */
export const SECURITY_SCHEMES: Record<string, object> = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'Recommended: `Authorization: Bearer <API_KEY>`. The key is in the dashboard, under Developer & API.',
  },
  apiTokenHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Token',
    description: 'The same key, for programs that cannot set `Authorization`.',
  },
};

/** Any one of them is enough. */
export const ANY_KEY: Record<string, string[]>[] = Object.keys(SECURITY_SCHEMES).map((name) => ({
  [name]: [],
}));

/** Read from every request and never refused, so that no schema of a route names them. */
export const LANGUAGE_PARAMETERS: Parameter[] = [
  {
    name: 'X-Locale',
    in: 'header',
    required: false,
    description:
      'Language of messages, when there is no `locale` parameter: `en` or `fr`; anything else is English.',
    schema: { type: 'string' },
  },
  {
    name: 'Accept-Language',
    in: 'header',
    required: false,
    description:
      'Language of messages, when neither `locale` nor `X-Locale` is given. Weights are honoured, as in `fr-CA,fr;q=0.9,en;q=0.5`.',
    schema: { type: 'string' },
  },
];
