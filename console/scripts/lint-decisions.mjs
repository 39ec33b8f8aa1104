// What only the server decides is not decided again here: means and freshness of readings, and what a role may do.
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { parse, place, report, sourceFiles, walk } from './sources.mjs';

const ROLES = new Set(['OWNER', 'ADMIN', 'FARM_MANAGER', 'VIEWER', 'WORKER']);
/** Where roles have their words, and what new people are. */
const NAMES_ROLES = 'i18n/roles.ts';
/** What a reading, or what follows from readings, is called. */
const READINGS = new Set(['latestValue', 'staleAfterSec', 'mean']);
const ARITHMETIC = new Set([
  ts.SyntaxKind.PlusToken,
  ts.SyntaxKind.MinusToken,
  ts.SyntaxKind.AsteriskToken,
  ts.SyntaxKind.SlashToken,
  ts.SyntaxKind.PlusEqualsToken,
]);
/** Drawing scales what it draws. */
const DRAWS = /^ui\/(Chart|chart-)/;

/** The name that an operand ends in: `value` of `sensor.value`. */
function nameOf(node) {
  if (ts.isParenthesizedExpression(node)) return nameOf(node.expression);
  if (ts.isIdentifier(node)) return node.text;
  return ts.isPropertyAccessExpression(node) ? node.name.text : undefined;
}

/** The problems of one file. */
export function decisionProblems(source) {
  if (/\.test\.tsx?$|(^|\/)test-[^/]*$|^api\/schema\.ts$/.test(source.path)) return [];
  const file = parse(source);
  const problems = [];
  const say = (node, what) => problems.push(`${place(file, node)} ${what}`);
  walk(file, (node) => {
    if (ts.isStringLiteral(node) && ROLES.has(node.text) && source.path !== NAMES_ROLES)
      say(node, `asks for the role ${node.text}: ask what the farm permits`);
    if (ts.isBinaryExpression(node) && !DRAWS.test(source.path)) {
      const names = [node.left, node.right].map(nameOf);
      const reading = names.find((name) => READINGS.has(name));
      if (reading && ARITHMETIC.has(node.operatorToken.kind))
        say(node, `calculates with ${reading}: ask the server`);
    }
  });
  return problems;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = sourceFiles();
  report('decisions', files.flatMap(decisionProblems), files.length);
}
