// @vitest-environment node
// What an installed console looks like before it runs: manifest, icons and colours agree with what they were made from.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import app from '../src/i18n/en/app.json';
import { dark, light } from '../src/ui/tokens';
import { icons } from './icons.mjs';

const pub = new URL('../public/', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('manifest.webmanifest', pub), 'utf8'));
const page = readFileSync(new URL('../index.html', import.meta.url), 'utf8');
const base = readFileSync(new URL('../src/ui/base.css', import.meta.url), 'utf8');

/** Width, height and whether there is transparency, from the head of a PNG. */
function png(file) {
  const bytes = readFileSync(new URL(file, pub));
  expect(bytes.toString('latin1', 1, 4)).toBe('PNG');
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), alpha: bytes[25] >= 4 };
}

it.each(icons)('$file is as large as it is said to be', ({ file, size }) => {
  expect(png(file)).toMatchObject({ width: size, height: size });
});

it('offers every icon to who installs the console', () => {
  expect(
    manifest.icons
      .filter(({ type }) => type === 'image/png')
      .map(({ src, sizes, purpose }) => [src, sizes, purpose]),
  ).toEqual(
    icons
      .filter(({ file }) => !file.includes('apple'))
      .map(({ file, size, ground }) => [`/${file}`, `${size}x${size}`, ground ? 'maskable' : 'any']),
  );
  expect(page).toContain('<link rel="apple-touch-icon" href="/icons/apple-touch-icon.png" />');
  expect(page).toContain('<link rel="manifest" href="/manifest.webmanifest" />');
});

it('gives the drawing under both names', () => {
  const read = (file) => readFileSync(new URL(file, pub), 'utf8');
  expect(read('favicon.svg')).toBe(read('icon.svg'));
});

describe('the manifest', () => {
  it('has no words but the name', () => {
    const { name, short_name: short, icons: _, ...others } = manifest;
    expect([name, short]).toEqual([app.app.name, app.app.name]);
    expect(Object.keys(others).sort()).toEqual([
      'background_color',
      'display',
      'id',
      'lang',
      'scope',
      'start_url',
      'theme_color',
    ]);
  });

  it('has the colours of the light scheme', () => {
    expect([manifest.theme_color, manifest.background_color]).toEqual([light.nav, light.ground]);
  });
});

it('has the colours of both schemes before any script runs', () => {
  expect(page).toContain(`media="(prefers-color-scheme: light)" content="${light.nav}"`);
  expect(page).toContain(`media="(prefers-color-scheme: dark)" content="${dark.nav}"`);
  expect(base).toContain(`background: ${light.ground};`);
  expect(base).toContain(`background: ${dark.ground};`);
});
