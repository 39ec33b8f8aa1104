// What only the server decides is not decided again here: means and freshness of readings, whether one is too high, which sensors
// count for a place, and what a role may do.
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
const COMPARISONS = new Set([
  ts.SyntaxKind.LessThanToken,
  ts.SyntaxKind.LessThanEqualsToken,
  ts.SyntaxKind.GreaterThanToken,
  ts.SyntaxKind.GreaterThanEqualsToken,
]);
const EQUALITIES = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
]);
/** What says whether something lies in a place (screen/place.ts). */
const IN_PLACE = new Set(['isWithin', 'sensorsIn', 'inPlace']);
/** What `type` also is: of a place, and of a controller's devices. */
const OTHER_TYPES = new Set(['farm', 'polyhouse', 'zone', 'sensor']);
/** They offer what may be chosen, and nothing follows from it. */
const OFFERS = new Set(['features/derived/DerivedForm.tsx', 'features/rules/LeafChoice.tsx']);
/** Drawing scales what it draws. */
const DRAWS = /^ui\/(Chart|chart-)/;

/** The name that an operand ends in: `value` of `sensor.value`. */
function nameOf(node) {
  if (ts.isParenthesizedExpression(node)) return nameOf(node.expression);
  if (ts.isIdentifier(node)) return node.text;
  return ts.isPropertyAccessExpression(node) ? node.name.text : undefined;
}

/** What a file calls readings: also its own names for them, as of `const { latestValue: now } = sensor`. */
function readingNames(file) {
  const names = new Map([...READINGS].map((name) => [name, name]));
  walk(file, (node) => {
    const of =
      ts.isBindingElement(node) && node.propertyName
        ? node.propertyName.getText(file)
        : ts.isVariableDeclaration(node) && node.initializer && nameOf(node.initializer);
    if (READINGS.has(of) && ts.isIdentifier(node.name)) names.set(node.name.text, of);
  });
  return names;
}

/** Whether a comparison asks what a sensor measures: `sensor.type === type`; of what a rule asks it is `sensor_type`. */
function asksQuantity(node) {
  if (!ts.isBinaryExpression(node) || !EQUALITIES.has(node.operatorToken.kind)) return false;
  const sides = [node.left, node.right];
  const isOther = (side) =>
    nameOf(side) === 'sensor_type' || (ts.isStringLiteral(side) && OTHER_TYPES.has(side.text));
  return sides.some((side) => nameOf(side) === 'type') && !sides.some(isOther);
}

/** Whether what is asked of a place here is asked of a quantity too: that is how a place gets its sensors. */
function findsSensors(call) {
  let within = call.parent;
  while (!ts.isFunctionLike(within) && !ts.isStatement(within) && within.parent) within = within.parent;
  let found = false;
  walk(within, (node) => {
    found ||= asksQuantity(node);
  });
  return found;
}

/** The problems of one file. */
export function decisionProblems(source) {
  if (/\.test\.tsx?$|(^|\/)test-[^/]*$|^api\/schema\.ts$/.test(source.path)) return [];
  const file = parse(source);
  const problems = [];
  const say = (node, what) => problems.push(`${place(file, node)} ${what}`);
  const readings = readingNames(file);
  walk(file, (node) => {
    if (ts.isStringLiteral(node) && ROLES.has(node.text) && source.path !== NAMES_ROLES)
      say(node, `asks for the role ${node.text}: ask what the farm permits`);
    if (ts.isBinaryExpression(node) && !DRAWS.test(source.path)) {
      const names = [node.left, node.right].map(nameOf);
      const reading = readings.get(names.find((name) => readings.has(name)));
      if (reading && ARITHMETIC.has(node.operatorToken.kind))
        say(node, `calculates with ${reading}: ask the server`);
      if (reading && COMPARISONS.has(node.operatorToken.kind))
        say(node, `compares ${reading}: ask the server whether it is so`);
    }
    if (ts.isCallExpression(node) && IN_PLACE.has(nameOf(node.expression)) && !OFFERS.has(source.path))
      if (findsSensors(node)) say(node, 'finds the sensors of a place: ask the server which those are');
  });
  return problems;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = sourceFiles();
  report('decisions', files.flatMap(decisionProblems), files.length);
}
