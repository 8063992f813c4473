import { hashKey, keyFormat } from './key-format.ts';

const PREFIX = 'vty_';
const FORMAT = keyFormat(PREFIX);

export type { RandomInt } from './key-format.ts';

export const generateApiKey = FORMAT.generate;
export const isWellFormedApiKey = FORMAT.isWellFormed;
export const hashApiKey = hashKey;

/** Whether a key, complete or not, is in this text, for example after a scheme other than Bearer. */
export function hasKeyPrefix(text: string): boolean {
  return text.includes(PREFIX);
}

/** Complete example texts, without case, accents and separators. */
const EXAMPLES = new Set(
  `changeme changethis changeit replaceme replacethis fillme todo tbd fixme example exemple placeholder none nil
  null undefined nan false true empty unset missing vide bearer dummy fillmein setme objectobject achanger aremplacer remplacezmoi changezmoi`.split(
    /\s+/,
  ),
);

/**
 * Words around "key" or "token" in examples. A text made only of these is an example: `YOUR_API_KEY`, `insert-token-
 * here`, `Votre clé API`. Words that people use as a wrong key on purpose (test, invalid …) are left out: they get
 * INVALID_API_TOKEN.
 */
const EXAMPLE_WORDS = `
  your my the own real insert put paste enter add replace change fill set copy me this it here goes api key token
  secret bearer auth access developer dev server guild bot vote votary example placeholder dummy sample
  votre vos ton ta mon ma la le de une par cle clef jeton ici serveur inserer inserez mettre mettez coller
  collez entrer entrez ajoutez remplacer remplacez changer changez moi exemple
`
  .trim()
  .split(/\s+/);

/** Digits may follow: `API_KEY_1`. */
const ONLY_EXAMPLE_WORDS = new RegExp(`^(?:${EXAMPLE_WORDS.join('|')})+[0-9]{0,4}$`);
const NAMES_A_KEY = /key|token|cle|jeton/;

/** `YOUR_TOPSERVERS_KEY`: an instruction around an unknown name. */
const INSTRUCTION_START =
  /^(?:your|my|insert|put|paste|enter|replace|votre|ta|ton|ma|mon|inserez|mettez|collez|entrez|remplacez)/;
const INSTRUCTION_OBJECT = /key|token|secret|cle|jeton|here|ici/;

const WRAPPED_OR_TEMPLATE = [
  /^<.*>$/s, // <API_KEY> and <%= key %>
  /^\[.*\]$/s, // [API_KEY]
  /^\(.*\)$/s, // (your key)
  /^[$#]?\{.*\}$/s, // {key}, {{ key }}, ${API_KEY} and #{key}
  /^\$\(.*\)$/s, // $(API_KEY)
  /^\$[A-Za-z_]\w*$/, // $API_KEY
  /^%.*%$/s, // %API_KEY% and %env(API_KEY)%
  /^[@:]\w+@?$/, // @API_KEY@ and :api_key
  /^__\w+__$/, // __API_KEY__
  /^(?:process\.env|import\.meta\.env|os\.environ)\b/,
  /^(?:ENV|env|(?:os\.|System\.)?getenv|config)[([]/,
];

/** Characters that mask a key, mixed or alone: ****, xxx, xxxxxxxx-xxxx, vty_... */
const MASK = /^(?:vty_)?[x0*.\-_#?•…]+$/i;
/** Our own prefix before a mask: vty_xxxx. */
const MASKED_KEY = /^vty_x{4,}$/i;

/** A word this long after our prefix is not random; a shorter one may be the start of a real key. */
const MIN_PREFIXED_WORD_LENGTH = 8;
const POSSIBLY_CUT_KEY = /^vty_[0-9A-Za-z]*$/;

/**
 * Whether a key was never filled in: empty, an unrendered template, or an example text. Such a caller gets "set your
 * key" instead of "your key is wrong". No real key matches, complete or truncated.
 */
export function isPlaceholderKey(key: string): boolean {
  const text = key.trim().replace(/^(['"`])(.*)\1$/s, '$2');
  if (text === '' || MASKED_KEY.test(text)) return true;
  const words = lettersAndDigits(text.replace(/^vty_/i, ''));
  if (POSSIBLY_CUT_KEY.test(text)) {
    return words.length >= MIN_PREFIXED_WORD_LENGTH && isExample(words);
  }
  if (MASK.test(text) || WRAPPED_OR_TEMPLATE.some((pattern) => pattern.test(text))) return true;
  if (isExample(words)) return true;
  return hasSeparator(text) && isInstruction(words);
}

function isExample(words: string): boolean {
  return EXAMPLES.has(words) || (ONLY_EXAMPLE_WORDS.test(words) && NAMES_A_KEY.test(words));
}

function isInstruction(words: string): boolean {
  const [start] = INSTRUCTION_START.exec(words) ?? [];
  return start !== undefined && INSTRUCTION_OBJECT.test(words.slice(start.length));
}

/** `YOUR-API_KEY` and `Votre clé API` become `yourapikey` and `votrecleapi`. */
function lettersAndDigits(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[^0-9A-Za-z]/g, '')
    .toLowerCase();
}

function hasSeparator(text: string): boolean {
  return /[^0-9A-Za-z]/.test(text);
}
