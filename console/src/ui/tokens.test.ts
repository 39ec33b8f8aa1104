import { describe, expect, it } from 'vitest';
import { dark, light, type Palette, type Token } from './tokens';

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

/** Text on its ground: 4.5. What carries a state or marks a control, without being text: 3. */
const textPairs: [Token, Token][] = [
  ['ink', 'ground'],
  ['ink', 'surface'],
  ['ink', 'sunken'],
  ['soft', 'ground'],
  ['soft', 'surface'],
  ['soft', 'sunken'],
  ['brand', 'ground'],
  ['brand', 'surface'],
  ['brand', 'goodSoft'],
  ['onBrand', 'brand'],
  ['good', 'goodSoft'],
  ['warn', 'warnSoft'],
  ['warn', 'surface'],
  ['bad', 'badSoft'],
  ['bad', 'surface'],
  ['onStop', 'stop'],
  ['ink', 'heat'],
  ['ink', 'goodSoft'],
  ['ink', 'warnSoft'],
  ['ink', 'badSoft'],
  ['navInk', 'nav'],
  ['navInk', 'navLine'],
  ['navSoft', 'nav'],
  ['navOnActive', 'navActive'],
];
const graphicPairs: [Token, Token][] = [
  ['good', 'sunken'],
  ['warnFill', 'sunken'],
  ['warnFill', 'surface'],
  ['stop', 'surface'],
  ['water', 'sunken'],
  ['edge', 'surface'],
  ['navActive', 'nav'],
];

describe.each([
  ['light', light],
  ['dark', dark],
] as [string, Palette][])('%s', (_, palette) => {
  it.each(textPairs)('%s on %s is legible', (front, back) => {
    expect(contrast(palette[front], palette[back])).toBeGreaterThanOrEqual(4.5);
  });
  it.each(graphicPairs)('%s on %s can be seen', (front, back) => {
    expect(contrast(palette[front], palette[back])).toBeGreaterThanOrEqual(3);
  });
});
