/**
 * In the replacement text of `replace`, `$&` or `` $` `` stand for parts of the input, so text from outside could
 * repeat a page within itself. A function has no such patterns.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNode, parseSource, placeOf, readSources, type SourceFile, type SyntaxNode } from './syntax.ts';

const SAFE = new Set(['Literal', 'ArrowFunctionExpression', 'FunctionExpression']);

function variableReplacements(file: SourceFile): string[] {
  return file.nodes.filter(isReplacement).map((node) => placeOf(file, node));
}

function isReplacement({ type, callee, arguments: given }: SyntaxNode): boolean {
  if (type !== 'CallExpression' || !isNode(callee) || !Array.isArray(given) || given.length < 2) return false;
  const { property } = callee;
  const name = isNode(property) ? (property.name ?? property.value) : undefined;
  if (name !== 'replace' && name !== 'replaceAll') return false;
  const [, replacement] = given;
  const isConstantText =
    replacement.type === 'TemplateLiteral' &&
    Array.isArray(replacement.expressions) &&
    replacement.expressions.length === 0;
  return !SAFE.has(replacement.type) && !isConstantText;
}

test('replace and replaceAll are called with a literal or a function, never with other text', () => {
  const sources = readSources();
  assert.ok(sources.length > 200);
  assert.deepEqual(sources.flatMap(variableReplacements), []);
});

test('other text is found in every form', () => {
  const broken = [
    'replace(x, text)',
    'replaceAll(/x/g, `$'.concat('{text}$1`)'),
    'replaceAll("x", a + b)',
    '["replace"](x, y)',
  ];
  const fine = ['replace(x, "$1")', 'replaceAll("x", () => text)', 'replace(x, `y`)', 'replace(record)'];
  for (const call of broken) {
    const code = call.startsWith('[') ? `t${call}` : `t?.${call}`;
    assert.deepEqual(variableReplacements(parseSource('a.js', code)), ['a.js:1'], call);
  }
  for (const call of fine) assert.deepEqual(variableReplacements(parseSource('a.js', `t.${call}`)), [], call);
});
