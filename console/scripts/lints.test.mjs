// @vitest-environment node
import { describe, expect, it } from 'vitest';
import { directionProblems } from './lint-direction.mjs';
import { textProblems } from './lint-texts.mjs';
import { sourceFiles } from './sources.mjs';

describe('direction', () => {
  const check = (path, text) => directionProblems({ path, text });

  it.each([
    ['features/a/x.ts', `import '../../api/client'`],
    ['features/a/x.ts', `import './y'`],
    ['routes/x.tsx', `import '../features/a/y'`],
    ['api/live.ts', `await import('socket.io-client')`],
    ['main.tsx', `import './routes/router'`],
  ])('%s may %s', (path, text) => {
    expect(check(path, text)).toEqual([]);
  });

  it.each([
    ['features/a/x.ts', `import '../b/y'`, 'features do not import each other'],
    ['features/a/x.ts', `import '../../routes/y'`, 'features may not import routes'],
    ['ui/x.tsx', `import '../api/y'`, 'ui may not import api'],
    ['ui/x.tsx', `import '../i18n/format'`, 'ui may not import i18n'],
    ['ui/x.tsx', `import { Link } from 'react-router'`, 'know no router'],
    ['ui/x.tsx', `import { useQuery } from '@tanstack/react-query'`, 'know no queries'],
    ['api/x.ts', `import '../features/a/y'`, 'api may not import features'],
    ['features/a/x.ts', `import { io } from 'socket.io-client'`, 'only api/live.ts'],
    ['features/a/x.ts', `const y = () => import('socket.io-client')`, 'only api/live.ts'],
    ['features/a/x.ts', `export { y } from '../b/y'`, 'features do not import each other'],
    ['helpers/x.ts', `import '../api/y'`, 'not a layer'],
  ])('%s may not %s', (path, text, why) => {
    expect(check(path, text)).toEqual([expect.stringContaining(why)]);
  });
});

describe('texts', () => {
  const check = (text, path = 'features/a/x.tsx') => textProblems({ path, text });

  it.each([
    '<p>{t("app.name")}</p>',
    '<p className="wide" data-tone="good" role="status" />',
    '<p>– {value} · 7</p>',
    'const language = "en"',
    '<p>{kind === "ph" ? t("a") : t("b")}</p>',
  ])('accepts %s', (text) => {
    expect(check(text)).toEqual([]);
  });

  it.each([
    '<p>Hello there</p>',
    '<p>{"Hello"}</p>',
    '<p>{ok ? "Yes" : t("no")}</p>',
    '<p>{ok && "Yes"}</p>',
    '<input placeholder="Name" />',
    '<input aria-label={open ? "Close" : t("open")} />',
    'const greeting = "नमस्ते"',
    'value.toFixed(2)',
    'date.toLocaleString()',
    'new Intl.NumberFormat("en-IN")',
  ])('refuses %s', (text) => {
    expect(check(text)).toHaveLength(1);
  });
});

it('finds nothing in the sources', () => {
  const files = sourceFiles();
  expect(files.length).toBeGreaterThan(30);
  expect(files.flatMap((file) => [...directionProblems(file), ...textProblems(file)])).toEqual([]);
});
