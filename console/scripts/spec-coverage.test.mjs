// @vitest-environment node
// docs/spec-coverage.md says which test shows what was asked for: this holds it to tests that exist.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { walk } from './sources.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The cells of every table row, without heads and rules, with the section that it stands in. */
function tableRows(text) {
  let section = '';
  const rows = [];
  const lines = text.split('\n');
  for (const [at, line] of lines.entries()) {
    if (line.startsWith('## ')) section = line.slice(3);
    const isRow =
      line.startsWith('|') && !/^\|[-| ]+\|$/.test(line) && !/^\|[-| ]+\|$/.test(lines[at + 1] ?? '');
    if (isRow)
      rows.push({
        section,
        line: at + 1,
        cells: line
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.trim()),
      });
  }
  return rows;
}

/** The tests that a cell names: `file` "name", "name" `other` "name". */
function named(cell) {
  return [...cell.matchAll(/`([\w-]+)`((?:,?\s*"[^"]+")+)/g)].flatMap(([, file, names]) =>
    [...names.matchAll(/"([^"]+)"/g)].map(([, name]) => ({ file, name })),
  );
}

/** The names that a file gives to its tests. */
function testNames(path, text) {
  if (path.endsWith('.rs')) {
    return [...text.matchAll(/#\[(?:tokio::)?test[^\]]*\][\s\S]{0,200}?\bfn (\w+)/g)].map(([, name]) => name);
  }
  const names = [];
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind);
  walk(file, (node) => {
    const [first] = ts.isCallExpression(node) ? node.arguments : [];
    if (!first || !/^(it|test)\b/.test(node.expression.getText(file))) return;
    if (ts.isStringLiteralLike(first)) names.push(first.text);
    else if (ts.isTemplateExpression(first)) names.push(first.getText(file).slice(1, -1));
  });
  return names;
}

/** What is wrong with a page of tables, given what a file says (undefined where there is none). */
function coverageProblems(text, read) {
  const rows = tableRows(text);
  const problems = [];
  const files = new Map();
  for (const { cells, line } of rows.filter(({ section }) => section === '')) {
    const [name, path] = cells;
    const source = read(path);
    if (source === undefined) problems.push(`line ${line}: there is no ${path}`);
    files.set(name.replaceAll('`', ''), {
      path,
      names: source === undefined ? [] : testNames(path, source),
      used: false,
    });
  }
  for (const { cells, line } of rows.filter(({ section }) => section !== '')) {
    const tests = named(cells[1] ?? '');
    if (cells.length !== 3) problems.push(`line ${line}: ${cells.length} cells`);
    if (tests.length === 0) problems.push(`line ${line}: no test shows "${cells[0]}"`);
    for (const { file, name } of tests) {
      const known = files.get(file);
      if (known) known.used = true;
      if (!known) problems.push(`line ${line}: what is ${file}?`);
      else if (!known.names.includes(name))
        problems.push(`line ${line}: ${known.path} has no test "${name}"`);
    }
  }
  for (const [name, { used }] of files) if (!used) problems.push(`${name} is nowhere used`);
  return problems;
}

const readFile = (path) => (existsSync(root + path) ? readFileSync(root + path, 'utf8') : undefined);
const page = readFileSync(`${root}docs/spec-coverage.md`, 'utf8');

it('every row names tests, and every test exists', () => {
  expect(tableRows(page).length).toBeGreaterThan(150);
  expect(coverageProblems(page, readFile)).toEqual([]);
});

describe('a page', () => {
  const files = {
    'x.test.ts': `it('works', () => {}); it.each([1])('takes %s', () => {});`,
    'y.rs': '#[test]\nfn holds() {}',
  };
  const check = (...rows) =>
    coverageProblems(
      [
        '| name | file |',
        '|---|---|',
        '| `x` | x.test.ts |',
        '| `y` | y.rs |',
        '',
        '## A',
        '| a | b | c |',
        '|---|---|---|',
        ...rows,
      ].join('\n'),
      (path) => files[path],
    );

  it('may name tests of both kinds', () => {
    expect(check('| this | `x` "works", "takes %s" `y` "holds" | |')).toEqual([]);
  });

  it.each([
    ['| this | | |', /no test shows "this"/],
    ['| this | `x` "fails" `y` "holds" | |', /x\.test\.ts has no test "fails"/],
    ['| this | `z` "works" `y` "holds" | |', /what is z\?/],
    ['| this | `x` "works" | |', /y is nowhere used/],
    ['| this | `x` "works" `y` "holds" |', /2 cells/],
  ])('%s is refused', (row, why) => {
    expect(check(row).join('\n')).toMatch(why);
  });

  it('is refused where a file is gone', () => {
    expect(
      coverageProblems(page, (path) => (path.endsWith('logs.rs') ? undefined : readFile(path))),
    ).toContainEqual(expect.stringContaining('there is no api/tests/api/logs.rs'));
  });
});
