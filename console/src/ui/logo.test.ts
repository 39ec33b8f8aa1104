import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { airUpTo, archLine, LOGO, LOGO_HEAT } from './arch';
import { light } from './tokens';

it('has its highest point where it was asked for', () => {
  // Half way along a cubic curve: three quarters of the handles, one of the ends.
  const [, handle = 0] = /C10 (-?[\d.]+) /.exec(archLine(LOGO)) ?? [];
  expect(0.75 * Number(handle) + 0.25 * LOGO.eaves).toBeCloseTo(LOGO.top, 1);
});

it('is drawn in the icon as on every screen', () => {
  const icon = readFileSync('public/icon.svg', 'utf8').replaceAll(/(\d\.\d\d)\d+/g, '$1');
  const rounded = (path: string) =>
    path.replaceAll(/-?\d+\.\d+/g, (number) => String(Math.round(Number(number) * 100) / 100));
  expect(icon).toContain(`<path d="${archLine(LOGO)}Z"/>`);
  expect(icon).toContain(`<path d="${rounded(airUpTo(LOGO, LOGO_HEAT.warm))}" fill="${light.logo}"/>`);
  expect(icon).toContain(`<path d="${rounded(airUpTo(LOGO, LOGO_HEAT.hot))}" fill="${light.logoDeep}"/>`);
  expect(icon).toContain(`fill="${light.nav}"`);
});
