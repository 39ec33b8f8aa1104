// @vitest-environment node
import { describe, expect, it } from 'vitest';
import { decisionProblems } from './lint-decisions.mjs';
import { directionProblems } from './lint-direction.mjs';
import { pageProblems, styleProblems, textProblems } from './lint-texts.mjs';
import { sourceFiles, styleFiles } from './sources.mjs';

describe('direction', () => {
  const check = (path, text) => directionProblems({ path, text });

  it.each([
    ['features/a/x.ts', `import '../../api/client'`],
    ['features/a/x.ts', `import './y'`],
    ['routes/x.tsx', `import '../features/a/y'`],
    ['api/live.ts', `import { io } from 'socket.io-client'`],
    ['main.tsx', `import './routes/router'`],
    ['features/a/x.ts', `import '../../screen/FormDialog'`],
    ['pages.ts', `await import('./features/a/x')`],
    ['routes/x.tsx', `import '../pages'`],
  ])('%s may %s', (path, text) => {
    expect(check(path, text)).toEqual([]);
  });

  it.each([
    ['features/a/x.ts', `import '../b/y'`, 'features do not import each other'],
    ['features/a/x.ts', `import '../../routes/y'`, 'features may not import routes'],
    ['screen/x.tsx', `import '../features/a/y'`, 'screen may not import features'],
    ['ui/x.tsx', `import '../api/y'`, 'ui may not import api'],
    ['ui/x.tsx', `import '../i18n/format'`, 'ui may not import i18n'],
    ['ui/x.tsx', `import { Link } from 'react-router'`, 'know no router'],
    ['ui/x.tsx', `import { useQuery } from '@tanstack/react-query'`, 'know no queries'],
    ['api/x.ts', `import '../features/a/y'`, 'api may not import features'],
    ['features/a/x.ts', `import { io } from 'socket.io-client'`, 'only api/live.ts'],
    ['features/a/x.ts', `const y = () => import('socket.io-client')`, 'only api/live.ts'],
    ['features/a/x.ts', `export { y } from '../b/y'`, 'features do not import each other'],
    ['features/a/x.ts', `import '../../pages'`, 'features may not import pages'],
    ['helpers/x.ts', `import '../api/y'`, 'not a layer'],
  ])('%s may not %s', (path, text, why) => {
    expect(check(path, text)).toEqual([expect.stringContaining(why)]);
  });
});

describe('texts that load with their pages', () => {
  const check = (path, text) => textProblems({ path, text });

  it.each([
    ['features/rules/x.tsx', "t('rules.title')"],
    ['features/a/x.tsx', "t('app.name')"],
    ['features/rules/x.test.tsx', "t('alerts.title')"],
    ['pages.ts', "[{ path: '/a', texts: 'rules', farm: () => import('./features/rules/Rules') }]"],
    ['pages.ts', "[{ path: '/a', load: () => import('./features/sign-in/SignIn') }]"],
  ])('%s may say %s', (path, text) => {
    expect(check(path, text)).toEqual([]);
  });

  it.each([
    ['features/a/x.tsx', "t('rules.title')", 'a text of features/rules alone'],
    [
      'features/a/x.tsx',
      "t('scan.open')",
      'a text of features/controllers and features/onboarding and features/tokens alone',
    ],
    ['i18n/x.ts', 't(`stages.${word}`)', 'a text of features/records alone'],
    ['pages.ts', "[{ farm: () => import('./features/rules/Rules') }]", 'with the texts of none'],
    [
      'pages.ts',
      "[{ texts: 'rules', farm: () => import('./features/logs/Logs') }]",
      "with the texts 'rules'",
    ],
    [
      'pages.ts',
      "[{ texts: 'rules', load: () => import('./features/sign-in/SignIn') }]",
      "with the texts 'rules'",
    ],
  ])('%s may not say %s', (path, text, why) => {
    expect(check(path, text)).toEqual([expect.stringContaining(why)]);
  });
});

describe('decisions', () => {
  const check = (text, path = 'features/a/x.ts') => decisionProblems({ path, text });

  it.each([
    ["const due = may('tasks:write')"],
    ['const text = amount(type, latestValue)'],
    ['const silent = sensors.filter(({ latestValue }) => latestValue === null)'],
    ["export const defaultRole = 'VIEWER'", 'i18n/roles.ts'],
    ['const y = (mean - low) / span', 'ui/chart-scale.ts'],
    ["expect(role).toBe('VIEWER')", 'features/a/x.test.ts'],
    ["const here = devices.filter(({ scope, type }) => type !== 'sensor' && isWithin(scope, house, houses))"],
    ['if (condition.sensor_type !== type || !isWithin(at, place, houses)) return []'],
    [
      'const here = (one) => one.type === type && isWithin(one.scope, at, houses)',
      'features/rules/LeafChoice.tsx',
    ],
  ])('accepts %s', (text, path) => {
    expect(check(text, path)).toEqual([]);
  });

  it.each([
    ["if (user.role === 'OWNER') edit()", 'asks for the role OWNER'],
    ["const managers = ['ADMIN']", 'asks for the role ADMIN'],
    ['sum = sum + sensor.latestValue', 'calculates with latestValue'],
    ['const late = at + staleAfterSec * 1_000', 'calculates with staleAfterSec'],
    ['all.reduce((sum, { mean }) => sum + mean, 0)', 'calculates with mean'],
    ['const { latestValue: now } = sensor; const twice = now * 2', 'calculates with latestValue'],
    ['const now = sensor.latestValue; const twice = 2 * now', 'calculates with latestValue'],
    ['const isHot = sensor.latestValue > rule.value', 'compares latestValue'],
    [
      'for (let at = place; at; at = around(at)) if (sensorsIn(all, at, houses).some((one) => one.type === type)) return at',
      'finds the sensors of a place',
    ],
    [
      'const own = all.filter((one) => one.type === type && isWithin(one.scope, at, houses))',
      'finds the sensors',
    ],
  ])('refuses %s', (text, why) => {
    expect(check(text)).toEqual([expect.stringContaining(why)]);
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
    '<p>{`${a} · ${b}`}</p>',
    '<input aria-label={`${t("a")}: ${name}`} />',
    'const table = { label: "nav.farms", id: "farms" }',
    'const found = kinds.includes("manual_command")',
    'if (window.confirm(t("form.save"))) remove()',
    'document.title = t("app.name")',
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
    'const greeting = `${name} नमस्ते`',
    '<p>{`Hello ${name}`}</p>',
    '<p>{name ?? "Nobody"}</p>',
    '<button aria-label={`Delete ${name}`} />',
    '<Dialog closeLabel="Close" />',
    '<Empty emptyText={loading ? "Loading" : t("none")} />',
    'const columns = [{ label: "Type" }]',
    'const columns = [{ title: `Type of ${thing}` }]',
    't("a", { defaultValue: "Hello" })',
    'window.confirm("Are you sure?")',
    'if (confirm(`Delete ${name}?`)) remove()',
    'window.alert("Saved")',
    'field.setCustomValidity("Too short")',
    'new Notification("Tank is low")',
    'document.title = "Logs"',
    'document.title = `${name} - Logs`',
    'value.toFixed(2)',
    'date.toLocaleString()',
    'new Intl.NumberFormat("en-IN")',
  ])('refuses %s', (text) => {
    expect(check(text)).toHaveLength(1);
  });
});

describe('texts elsewhere', () => {
  const style = (text) => styleProblems({ path: 'ui/x.module.css', text });

  it('may not stand in style sheets', () => {
    expect(style('a::before { content: "New"; } b::after { content: attr(data-label) "x" }')).toHaveLength(1);
    expect(style('a::before { content: ""; } b::after { content: "· "; }')).toEqual([]);
  });

  it('may not stand in index.html, except the name', () => {
    const html = (body) => `<html lang="en"><head><title>Harit</title></head><body>${body}</body></html>`;
    expect(pageProblems(html('<div id="root"></div><script>let hello</script>'), 'Harit')).toEqual([]);
    expect(pageProblems(html('<noscript>Please enable scripts</noscript>'), 'Harit')).toHaveLength(1);
    expect(pageProblems(html('<img alt="A leaf" src="x.png">'), 'Harit')).toHaveLength(1);
  });
});

it('finds nothing in the sources', () => {
  const files = sourceFiles();
  const styles = styleFiles();
  expect(files.length).toBeGreaterThan(30);
  expect(styles.length).toBeGreaterThan(10);
  expect([
    ...files.flatMap((file) => [
      ...directionProblems(file),
      ...decisionProblems(file),
      ...textProblems(file),
    ]),
    ...styles.flatMap(styleProblems),
  ]).toEqual([]);
});
