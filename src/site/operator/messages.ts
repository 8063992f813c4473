import type { Locale } from '../../domain/locale.ts';
import { en } from './en.ts';
import { fr } from './fr.ts';

export const operatorMessages: Record<Locale, typeof en> = { en, fr };
