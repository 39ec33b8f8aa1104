// Words for people live in i18n/*/*.json and numbers and dates are written by i18n/format.ts: this finds the ones elsewhere.
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { parse, place, report, sourceFiles, walk } from './sources.mjs';

/** Attributes whose text a person reads or hears. */
const spoken = new Set([
  'aria-label',
  'aria-description',
  'aria-placeholder',
  'aria-roledescription',
  'aria-valuetext',
  'alt',
  'description',
  'error',
  'hint',
  'label',
  'placeholder',
  'text',
  'title',
  'word',
]);

const letters = /\p{L}{2,}/u;
const devanagari = /\p{Script=Devanagari}/u;
const formatting = new Set([
  'toFixed',
  'toLocaleDateString',
  'toLocaleString',
  'toLocaleTimeString',
  'toPrecision',
  'toDateString',
  'toTimeString',
]);

/** The problems of one file. */
export function textProblems(source) {
  if (
    /\.test\.tsx?$/.test(source.path) ||
    source.path === 'i18n/languages.ts' ||
    source.path === 'api/schema.ts'
  )
    return [];
  const file = parse(source);
  const isFormat = source.path === 'i18n/format.ts';
  const problems = [];
  const say = (node, what) => problems.push(`${place(file, node)} ${what}`);
  walk(file, (node) => {
    if (ts.isJsxText(node) && letters.test(node.text)) say(node, `text in the page: ${node.text.trim()}`);
    if (ts.isStringLiteralLike(node)) {
      if (devanagari.test(node.text)) say(node, `text outside the locale files: ${node.text}`);
      else if (letters.test(node.text) && isSpoken(node))
        say(node, `text outside the locale files: ${node.text}`);
    }
    if (isFormat) return;
    if (ts.isPropertyAccessExpression(node)) {
      if (formatting.has(node.name.text)) say(node, `${node.name.text} belongs to i18n/format.ts`);
      if (node.expression.getText(file) === 'Intl') say(node, 'Intl belongs to i18n/format.ts');
    }
  });
  return problems;
}

/** Whether a string is the value of a spoken attribute or stands in the page itself, also behind ?:, && and ||. */
function isSpoken(node) {
  let child = node;
  let parent = node.parent;
  while (
    ts.isConditionalExpression(parent) ||
    ts.isParenthesizedExpression(parent) ||
    (ts.isBinaryExpression(parent) && parent.operatorToken.kind !== ts.SyntaxKind.EqualsEqualsEqualsToken)
  ) {
    if (ts.isConditionalExpression(parent) && parent.condition === child) return false;
    child = parent;
    parent = parent.parent;
  }
  if (ts.isJsxAttribute(parent)) return spoken.has(parent.name.getText());
  if (!ts.isJsxExpression(parent)) return false;
  return ts.isJsxAttribute(parent.parent) ? spoken.has(parent.parent.name.getText()) : true;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = sourceFiles();
  report('texts', files.flatMap(textProblems), files.length);
}
