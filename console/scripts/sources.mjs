// The console's source files and what the lints read in them.
import { readdirSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const sourceRoot = fileURLToPath(new URL('../src/', import.meta.url));

/** Every TypeScript file under src/, as { path (from src/, with /), text }. */
export function sourceFiles() {
  return filesWhere((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'));
}

/** Every style sheet under src/, in the same form. */
export function styleFiles() {
  return filesWhere((name) => name.endsWith('.css'));
}

function filesWhere(wanted) {
  return readdirSync(sourceRoot, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && wanted(entry.name))
    .map((entry) => resolve(entry.parentPath, entry.name))
    .map((full) => ({
      path: relative(sourceRoot, full).replaceAll('\\', '/'),
      text: readFileSync(full, 'utf8'),
    }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Parses a file given as { path, text }. */
export function parse({ path, text }) {
  return ts.createSourceFile(
    path,
    text,
    ts.ScriptTarget.Latest,
    true,
    path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  );
}

/** Calls `look` for every node of a tree. */
export function walk(node, look) {
  look(node);
  ts.forEachChild(node, (child) => walk(child, look));
}

/** `path:line` of a node. */
export function place(file, node) {
  return `${file.fileName}:${file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1}`;
}

/** Prints the problems of a lint and sets the exit code. */
export function report(name, problems, count) {
  for (const problem of problems) console.error(`${name}: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`${name}: ${count} files, nothing to say`);
}
