import type { Locale } from '../../../domain/locale.ts';
import { en } from './en.ts';
import { fr } from './fr.ts';
import type { OperatorMessages } from './types.ts';

export const operatorMessages: Record<Locale, OperatorMessages> = { en, fr };
