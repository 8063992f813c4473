import { escapeHtml } from '../layout/html.ts';

type Language = { comment: string; keywords: string };

const SLASHES = String.raw`\/\/[^\n]*|\/\*[\s\S]*?\*\/`;
const HASH = String.raw`(?<=^|\s)#[^\n]*`;
const STRING = String.raw`"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\x60(?:[^\x60\\]|\\.)*\x60`;
const NUMBER = String.raw`\b\d[\d_.]*\b`;

/** Matches nothing. */
const NOTHING = '(?!)';

const JS: Language = {
  comment: SLASHES,
  keywords:
    'async await break case catch class const continue else export extends false finally for from function if import in instanceof let new null of return static switch this throw true try typeof undefined while yield',
};

const LANGUAGES: Record<string, Language> = {
  js: JS,
  json: { comment: NOTHING, keywords: 'true false null' },
  java: {
    comment: SLASHES,
    keywords:
      'abstract boolean break byte case catch char class continue default do double else enum extends false final finally float for if implements import instanceof int interface long new null package private protected public record return short static super switch synchronized this throw throws true try var void while',
  },
  php: {
    comment: `${SLASHES}|${HASH}`,
    keywords:
      'abstract array as break case catch class const continue declare default echo else elseif exit extends false final finally fn for foreach function if implements instanceof interface isset list match namespace new null private protected public readonly require require_once return static string switch throw true try use void while',
  },
  python: {
    comment: HASH,
    keywords:
      'and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return True try while with yield',
  },
  sh: {
    comment: HASH,
    keywords:
      'case cd curl do done echo elif else esac exit export fi for function if in npm php pip python3 read then while',
  },
  sql: { comment: String.raw`--[^\n]*`, keywords: NOTHING },
  yaml: { comment: HASH, keywords: 'true false null' },
};

/**
 * Marks comments, strings, numbers and keywords of the programs in the guides: enough to read them easily, and small
 * enough to need no library. The text of an unknown language is only escaped.
 */
export function highlight(code: string, name: string): string {
  const language = LANGUAGES[name];
  if (!language) return escapeHtml(code);
  let html = '';
  let end = 0;
  for (const { index, 0: text, groups = {} } of code.matchAll(patternOf(language))) {
    const kind = Object.keys(groups).find((group) => groups[group] !== undefined);
    html += `${escapeHtml(code.slice(end, index))}<span class="code-${kind}">${escapeHtml(text)}</span>`;
    end = index + text.length;
  }
  return html + escapeHtml(code.slice(end));
}

function patternOf({ comment, keywords }: Language): RegExp {
  const words = String.raw`(?<![\w$@-])(?:${keywords.replaceAll(' ', '|')})(?![\w-])`;
  return new RegExp(
    `(?<comment>${comment})|(?<string>${STRING})|(?<keyword>${words})|(?<number>${NUMBER})`,
    'gm',
  );
}
