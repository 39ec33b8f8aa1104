// Words for people live in i18n/*/*.json and numbers and dates are written by i18n/format.ts: this finds the ones elsewhere:
// in the page, in what is only heard, in questions of the browser, in tables of labels, in style sheets and in index.html.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { parse, place, report, sourceFiles, styleFiles, walk } from './sources.mjs';

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

/** Attributes of components that are handed texts: closeLabel, emptyText. */
const spokenLast = /(Label|Title|Text|Hint|Placeholder|Description|Message)$/;
const isSpokenName = (name) => spoken.has(name) || (spokenLast.test(name) && name !== 'enterKeyHint');

/** Functions of the browser that show what they are given. */
const speakers = new Set([
  'alert',
  'confirm',
  'prompt',
  'setCustomValidity',
  'Notification',
  'showNotification',
]);

/** `rules.title`: the name of a text, not a text. */
const textKey = /^[a-z]\w*(\.\w+)+$/;

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

const read = (path) => JSON.parse(readFileSync(new URL(`../src/i18n/${path}`, import.meta.url), 'utf8'));
const areas = read('areas.json');
/** The folders that show a text which loads with pages, by the first part of its key: those of the pages, and that of `screen/`
 * of this name. */
const foldersOf = new Map();
for (const [area, files] of Object.entries(areas))
  for (const file of files)
    for (const top of Object.keys(read(`en/${file}.json`)))
      foldersOf.set(top, [...(foldersOf.get(top) ?? [`screen/${top}/`]), `features/${area}/`]);

/** What is wrong where texts load with their pages: one that others show, a page that does not load its own. */
function areaProblem(source, node) {
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
    const [, top] = /^([a-z]\w*)\.\w*/i.exec(node.text ?? node.head.text) ?? [];
    const folders = foldersOf.get(top);
    if (folders && !folders.some((folder) => source.path.startsWith(folder)))
      return `${top}: a text of ${folders
        .slice(1)
        .join(' and ')
        .replaceAll(/\/(?= |$)/g, '')} alone`;
  }
  if (ts.isObjectLiteralExpression(node) && source.path === 'pages.ts') {
    const text = (name) =>
      node.properties.find((property) => property.name?.getText() === name)?.initializer?.getText() ?? '';
    const [, folder] = /import\('\.\/features\/([\w-]+)\//.exec(text('farm') || text('load')) ?? [];
    if (folder && (areas[folder] ? `'${folder}'` : '') !== text('texts'))
      return `a page of features/${folder} with the texts ${text('texts') || 'of none'}`;
  }
  return undefined;
}

/** The problems of one file. */
export function textProblems(source) {
  if (
    /\.test\.tsx?$|(^|\/)test-[^/]*$/.test(source.path) ||
    source.path === 'i18n/languages.ts' ||
    source.path === 'api/schema.ts'
  )
    return [];
  const file = parse(source);
  // The other has the browser load what formats are made of, and writes nothing.
  const isFormat = ['i18n/format.ts', 'early.ts'].includes(source.path);
  const problems = [];
  const say = (node, what) => problems.push(`${place(file, node)} ${what}`);
  walk(file, (node) => {
    const misplaced = areaProblem(source, node);
    if (misplaced) say(node, misplaced);
    if (ts.isJsxText(node) && letters.test(node.text)) say(node, `text in the page: ${node.text.trim()}`);
    const text = textOf(node);
    if (text !== undefined && (devanagari.test(text) || (letters.test(text) && isSpoken(node))))
      say(node, `text outside the locale files: ${text}`);
    if (isFormat) return;
    if (ts.isPropertyAccessExpression(node)) {
      if (formatting.has(node.name.text)) say(node, `${node.name.text} belongs to i18n/format.ts`);
      // Plural rules write nothing.
      if (node.expression.getText(file) === 'Intl' && node.name.text !== 'PluralRules')
        say(node, 'Intl belongs to i18n/format.ts');
    }
  });
  return problems;
}

/** The words of a string or of a template between its values. */
function textOf(node) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join(' ');
}

/** Whether a text reaches people: as an attribute, in the page, by a table of labels or by the browser itself; also behind ?:, && and ||. */
function isSpoken(node) {
  let child = node;
  let parent = node.parent;
  while (
    ts.isConditionalExpression(parent) ||
    ts.isParenthesizedExpression(parent) ||
    (ts.isBinaryExpression(parent) && joins.has(parent.operatorToken.kind))
  ) {
    if (ts.isConditionalExpression(parent) && parent.condition === child) return false;
    child = parent;
    parent = parent.parent;
  }
  if (ts.isJsxAttribute(parent)) return isSpokenName(parent.name.getText());
  if (ts.isJsxExpression(parent))
    return ts.isJsxAttribute(parent.parent) ? isSpokenName(parent.parent.name.getText()) : true;
  if (ts.isPropertyAssignment(parent) && parent.initializer === child) {
    const name = parent.name.getText().replaceAll(/['"]/g, '');
    return name === 'defaultValue' || (isSpokenName(name) && !textKey.test(textOf(node)));
  }
  if (ts.isCallExpression(parent) || ts.isNewExpression(parent)) {
    return speakers.has(parent.expression.getText().split('.').at(-1));
  }
  return (
    ts.isBinaryExpression(parent) &&
    parent.right === child &&
    /\bdocument\.title$/.test(parent.left.getText())
  );
}

/** Operators whose result may be the text itself. */
const joins = new Set([
  ts.SyntaxKind.PlusToken,
  ts.SyntaxKind.AmpersandAmpersandToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
]);

/** The problems of a style sheet: words that it writes into the page. */
export function styleProblems({ path, text }) {
  return [...text.matchAll(/content:\s*(["'])(.*?)\1/g)]
    .filter(([, , words]) => letters.test(words))
    .map(([, , words]) => `${path} text outside the locale files: ${words}`);
}

/** The problems of index.html, which may say the product's name and nothing else. */
export function pageProblems(html, name) {
  const words = html
    .replaceAll(/<(script|style)\b[\s\S]*?<\/\1>|<!--[\s\S]*?-->/g, ' ')
    .replaceAll(/<[^>]*?(?:alt|title|aria-label|placeholder)="([^"]*)"[^>]*>/g, ' $1 ')
    .replaceAll(/<[^>]*>/g, '\n')
    .split('\n')
    .map((said) => said.trim())
    .filter((said) => letters.test(said) && said !== name);
  return words.map((said) => `index.html text outside the locale files: ${said}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = sourceFiles();
  const styles = styleFiles();
  const html = readFileSync(new URL('../index.html', import.meta.url), 'utf8');
  report(
    'texts',
    [...files.flatMap(textProblems), ...styles.flatMap(styleProblems), ...pageProblems(html, productName())],
    files.length + styles.length + 1,
  );
}

/** What the product is called in the texts. */
export function productName() {
  const app = JSON.parse(readFileSync(new URL('../src/i18n/en/app.json', import.meta.url), 'utf8'));
  return app.app.name;
}
