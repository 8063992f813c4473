import type { ErrorCode, ErrorExtras, FieldFault, ValidationRule } from '../domain/errors.ts';
import type { Locale } from '../domain/locale.ts';
import { en } from './messages/en.ts';
import { fr } from './messages/fr.ts';
import type { Messages } from './messages/messages.ts';

const CATALOGUES: Record<Locale, Messages> = { en, fr };

export type ErrorBody = { ok: false; error: ErrorCode; message: string } & ErrorExtras;

export type ValidationBody = { errors: { rule: ValidationRule; field: string; message: string }[] };

/** The contractual error body. The code is never translated, the message always is. */
export function errorBody(code: ErrorCode, locale: Locale, extras: ErrorExtras = {}): ErrorBody {
  return { ok: false, error: code, message: CATALOGUES[locale].errors[code], ...extras };
}

/** The body for parameters that broke their schema: it has neither `ok` nor `error`. */
export function validationBody(faults: readonly FieldFault[], locale: Locale): ValidationBody {
  const { rules, fieldMessage } = CATALOGUES[locale];
  return {
    errors: faults.map(({ field, rule, bound }) => ({
      rule,
      field,
      message: fieldMessage(field, rules[rule](bound)),
    })),
  };
}
