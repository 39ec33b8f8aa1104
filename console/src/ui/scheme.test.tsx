import { MantineProvider } from '@mantine/core';
import { act, render } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { restoreScheme, type Scheme, usePalette, useScheme } from './scheme';
import { dark, light, type Palette, sunlight } from './tokens';

let choose: (scheme: Scheme) => void;
let scheme: Scheme;
let palette: Palette;

function Probe() {
  ({ choose, scheme } = useScheme());
  palette = usePalette();
  return null;
}

afterEach(() => {
  localStorage.clear();
  document.documentElement.removeAttribute('data-sunlight');
});

function show() {
  restoreScheme();
  return render(
    <MantineProvider defaultColorScheme="light">
      <Probe />
    </MantineProvider>,
  );
}

it('goes from scheme to scheme, and the one for the sun is a kind of the light one', () => {
  show();
  expect([scheme, palette]).toEqual(['light', light]);
  act(() => choose('sunlight'));
  expect([scheme, palette]).toEqual(['sunlight', sunlight]);
  expect(document.documentElement.hasAttribute('data-sunlight')).toBe(true);
  expect(document.documentElement.getAttribute('data-mantine-color-scheme')).toBe('light');
  act(() => choose('dark'));
  expect([scheme, palette]).toEqual(['dark', dark]);
  expect(document.documentElement.hasAttribute('data-sunlight')).toBe(false);
});

it('is remembered on the device', () => {
  const first = show();
  act(() => choose('sunlight'));
  first.unmount();
  document.documentElement.removeAttribute('data-sunlight');
  show();
  expect(scheme).toBe('sunlight');
  const styles = [...document.head.querySelectorAll('style')].map(({ textContent }) => textContent).join('');
  expect(styles).toContain(
    `:root[data-mantine-color-scheme="light"][data-sunlight]{--h-ground:${sunlight.ground};`,
  );
});
