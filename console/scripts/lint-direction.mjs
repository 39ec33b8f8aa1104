// Imports go one way: routes -> features -> api and ui; features do not know each other; ui knows no router, no query and
// no domain; socket.io is imported in one place.
import { dirname, normalize } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { parse, place, report, sourceFiles, walk } from './sources.mjs';

/** What each layer may import of the others; its own files always. */
const allowed = {
  main: ['routes', 'api', 'i18n', 'ui'],
  // The table of pages loads them, and router and menu are made from it.
  pages: ['routes', 'features', 'api', 'i18n'],
  routes: ['pages', 'features', 'api', 'i18n', 'ui'],
  features: ['screen', 'api', 'i18n', 'ui'],
  // What the screens of all features share, and what knows router, queries or words.
  screen: ['api', 'i18n', 'ui'],
  api: [],
  ui: [],
  i18n: [],
};

/** Packages that belong to some layers only, or to one file. */
const packages = [
  {
    name: /^socket\.io-client/,
    only: (path) => path === 'api/live.ts',
    why: 'only api/live.ts speaks to the socket',
  },
  {
    name: /^openapi-fetch/,
    only: (path) => path === 'api/client.ts',
    why: 'only api/client.ts makes the client',
  },
  {
    name: /^react-router/,
    only: (path) => !/^(ui|api|i18n)\//.test(path),
    why: 'ui, api and i18n know no router',
  },
  { name: /^@tanstack\//, only: (path) => !/^(ui|i18n)\//.test(path), why: 'ui and i18n know no queries' },
  {
    name: /^(i18next|react-i18next)$/,
    only: (path) => !/^(ui|api)\//.test(path),
    why: 'ui and api are given their texts',
  },
  { name: /^@mantine\//, only: (path) => !/^(api|i18n)\//.test(path), why: 'api and i18n show nothing' },
];

function layerOf(path) {
  const [first, second] = path.split('/');
  if (second === undefined) return { layer: /^pages(\.ts)?$/.test(first) ? 'pages' : 'main' };
  return { layer: first, feature: first === 'features' ? second : undefined };
}

/** The problems of one file. */
export function directionProblems(source) {
  const file = parse(source);
  const problems = [];
  const from = layerOf(source.path);
  const inTest = /\.test\.tsx?$/.test(source.path) || /(^|\/)test-[^/]*$/.test(source.path);
  const check = (node, target) => {
    const problem = inTest ? undefined : complaint(source.path, from, target);
    if (problem) problems.push(`${place(file, node)} imports ${target}: ${problem}`);
  };
  walk(file, (node) => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
      check(node, node.moduleSpecifier.text);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [argument] = node.arguments;
      if (argument && ts.isStringLiteral(argument)) check(node, argument.text);
    }
  });
  return problems;
}

function complaint(path, from, target) {
  if (!target.startsWith('.')) {
    return packages.find((rule) => rule.name.test(target) && !rule.only(path))?.why;
  }
  const to = layerOf(normalize(`${dirname(path)}/${target}`));
  if (!(from.layer in allowed)) return `src/${from.layer} is not a layer`;
  if (to.layer === from.layer) {
    return to.feature === from.feature ? undefined : `features do not import each other`;
  }
  return allowed[from.layer].includes(to.layer) ? undefined : `${from.layer} may not import ${to.layer}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = sourceFiles();
  report('direction', files.flatMap(directionProblems), files.length);
}
