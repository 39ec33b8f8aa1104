import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { dark, light, mixed, type Palette, sunlight, type Token } from './tokens';

function luminance(hex: string): number {
  const channels = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  const [r = 0, g = 0, b = 0] = channels.map((c) =>
    c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

const inks: Token[] = ['inkHeat', 'inkWater', 'inkAir', 'inkLight', 'inkFeed', 'inkAcid', 'inkGas'];
/** Text on its ground: 4.5, and 7 in the sun. What carries a state or marks a control, without being text: 3, and 4.5. */
const textPairs: [Token, Token][] = [
  ['ink', 'ground'],
  ['ink', 'surface'],
  ['ink', 'sunken'],
  ['soft', 'ground'],
  ['soft', 'surface'],
  ['soft', 'sunken'],
  ['brand', 'ground'],
  ['brand', 'surface'],
  ['brand', 'sunken'],
  ['brand', 'brandSoft'],
  ['ink', 'brandSoft'],
  ['soft', 'brandSoft'],
  ['onBrand', 'brand'],
  ['good', 'goodSoft'],
  ['good', 'surface'],
  ['warn', 'warnSoft'],
  ['warn', 'surface'],
  ['bad', 'badSoft'],
  ['bad', 'surface'],
  ['onStop', 'stop'],
  ['ink', 'heat'],
  ['ink', 'heatDeep'],
  ['ink', 'goodSoft'],
  ['ink', 'warnSoft'],
  ['ink', 'badSoft'],
  ['navInk', 'nav'],
  ['navInk', 'navLine'],
  ['navSoft', 'nav'],
  ['navOnActive', 'navActive'],
  ...inks.map((ink): [Token, Token] => [ink, 'surface']),
];
const graphicPairs: [Token, Token][] = [
  ['good', 'sunken'],
  ['warnFill', 'sunken'],
  ['warnFill', 'surface'],
  ['stop', 'surface'],
  ['water', 'sunken'],
  ['edge', 'surface'],
  ['navActive', 'nav'],
  ...inks.map((ink): [Token, Token] => [ink, 'sunken']),
];

describe.each([
  ['light', light, 4.5, 3],
  ['dark', dark, 4.5, 3],
  ['sunlight', sunlight, 7, 4.5],
] as [string, Palette, number, number][])('%s', (_, palette, text, graphic) => {
  it.each(textPairs)('%s on %s is legible', (front, back) => {
    expect(contrast(palette[front], palette[back])).toBeGreaterThanOrEqual(text);
  });
  it.each(graphicPairs)('%s on %s can be seen', (front, back) => {
    expect(contrast(palette[front], palette[back])).toBeGreaterThanOrEqual(graphic);
  });
});

it('is greenest where all is as it should be', () => {
  const isGreen = (hex: string) => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
    return g > r * 1.15 && g > b * 1.15;
  };
  for (const palette of [light, dark, sunlight])
    expect(Object.entries(palette).flatMap(([token, colour]) => (isGreen(colour) ? [token] : []))).toEqual(
      palette === light || palette === sunlight ? ['good'] : ['good', 'goodSoft'],
    );
});

it('leaves what is chosen or pointed at uncoloured by it', () => {
  const sheets = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.css'),
  );
  const rules = sheets.flatMap(
    (sheet) => readFileSync(`src/${sheet}`, 'utf8').match(/[^{}]+\{[^{}]*\}/g) ?? [],
  );
  expect(rules.length).toBeGreaterThan(1_000);
  const isChosen = /^[^{]*(aria-(pressed|expanded|selected|checked|current)|:checked|:hover|data-checked)/;
  expect(rules.filter((rule) => isChosen.test(rule) && rule.includes('--h-good'))).toEqual([]);
});

it('moves by the scale of motion alone, which stands still for who wants none', () => {
  const sheets = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.css'),
  );
  const times = sheets.flatMap((sheet) =>
    (readFileSync(`src/${sheet}`, 'utf8').match(/(?:transition|animation)[\w-]*:[^;]+;/g) ?? [])
      .filter((line) => /[\d.]m?s\b/.test(line))
      .map((line) => `${sheet}: ${line}`),
  );
  expect(times).toEqual([]);
  const base = readFileSync('src/ui/base.css', 'utf8');
  const scale = [...base.matchAll(/--h-(quick|move|turn): ([\d.]+m?s);/g)].map(([, name, time]) => [
    name,
    time,
  ]);
  expect(scale.slice(-3)).toEqual(['quick', 'move', 'turn'].map((name) => [name, '0s']));
  expect(scale).toHaveLength(6);
});

it('mixes colours', () => {
  expect([0, 0.5, 1].map((part) => mixed('#000000', '#ff8000', part))).toEqual([
    '#000000',
    '#804000',
    '#ff8000',
  ]);
});
