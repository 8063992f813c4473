/** Words that stand in examples where a key should be: letters and digits only, lower case, no accents. */
const EXAMPLE_WORDS = new Set(
  `key token secret bearer apikey apitoken apisecret cle clef cleapi clefapi jeton changeme changethis changeit
  replaceme fillme todo tbd fixme example exemple placeholder dummy sample test none nil null undefined nan
  false true empty unset vide objectobject achanger aremplacer remplacezmoi`.split(/\s+/),
);

/** `YOUR_API_KEY`, `insert-token-here`, `Votre clé API`, `MA_CLE`: an instruction to the reader, not a key. */
const INSTRUCTION =
  /^(?:your|my|the|insert|put|paste|enter|add|replace|votre|ta|ton|ma|mon|la|le|inserer|inserez|mettre|mettez|collez|entrez)\w*?(?:key|token|secret|cle|clef|jeton|here|ici)/;

const WRAPPED_OR_TEMPLATE = [
  /^<.*>$/s, // <API_KEY>
  /^\[.*\]$/s, // [API_KEY]
  /^\{.*\}$/s, // {key} and {{ key }}
  /^\$\{.*\}$/s, // ${API_KEY}
  /^\$\(.*\)$/s, // $(API_KEY)
  /^\$[A-Za-z_]\w*$/, // $API_KEY
  /^%\w+%$/, // %API_KEY%
  /^<%.*%>$/s, // <%= key %>
  /^#\{.*\}$/s, // #{key}
  /^process\.env\b/,
  /^env\(/,
];

/** One character over and over, with or without our prefix: xxxx…, ****, 0000, vty_xxxx. */
const FILLER = /^(?:vty_)?([x*.\-_#?0•…])\1*$/i;

/**
 * Whether a key was never filled in: empty, a template that was not rendered, or the words of an example.
 * Such a caller needs to be told "set your key", not "your key is wrong".
 */
export function isPlaceholderKey(key: string): boolean {
  const trimmed = key.trim().replace(/^(['"`])(.*)\1$/s, '$2');
  if (trimmed === '' || FILLER.test(trimmed)) return true;
  if (WRAPPED_OR_TEMPLATE.some((pattern) => pattern.test(trimmed))) return true;
  const words = lettersOnly(trimmed).replace(/^vty/, '');
  return words === '' || EXAMPLE_WORDS.has(words) || INSTRUCTION.test(words);
}

/** `YOUR-API_KEY` and `Votre clé API` read the same as `yourapikey` and `votrecleapi`. */
function lettersOnly(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[^0-9A-Za-z]/g, '')
    .toLowerCase();
}
