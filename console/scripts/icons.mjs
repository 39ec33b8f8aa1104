// Draws the icons of the installed console from public/icon.svg, in the Chromium that the browser tests use. The pictures are
// committed: run this when icon.svg or the colours change (a browser test compares them with it).
//   node scripts/icons.mjs
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { startBrowser } from '../e2e/browser.mjs';

const pub = new URL('../public/', import.meta.url);

/**
 * `art`: how much of the side the drawing takes. `ground`: its colour reaches the edges, because the device cuts the shape; what
 * is outside a circle of 80 % of the side may then be cut off.
 */
export const icons = [
  { file: 'icons/icon-192.png', size: 192, art: 1, ground: false },
  { file: 'icons/icon-512.png', size: 512, art: 1, ground: false },
  { file: 'icons/maskable-192.png', size: 192, art: 0.78, ground: true },
  { file: 'icons/maskable-512.png', size: 512, art: 0.78, ground: true },
  { file: 'icons/apple-touch-icon.png', size: 180, art: 0.92, ground: true },
];

/** The picture of one icon, as PNG. */
export async function draw(page, svg, { size, art, ground }) {
  const colour = /<rect[^>]* fill="(#[0-9a-f]{6})"/.exec(svg)?.[1];
  if (!colour) throw new Error('icon.svg has no ground of one colour');
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(
    `<style>
      html { background: ${ground ? colour : 'transparent'}; }
      body { margin: 0; display: grid; place-items: center; height: 100vh; }
      svg { width: ${art * 100}%; height: ${art * 100}%; display: block; }
    </style>${svg}`,
  );
  return page.screenshot({ omitBackground: true });
}

if (process.argv[1]?.endsWith('icons.mjs')) {
  const svg = await readFile(new URL('icon.svg', pub), 'utf8');
  const browser = await startBrowser();
  const page = await browser.newPage();
  await mkdir(new URL('icons/', pub), { recursive: true });
  for (const icon of icons) await writeFile(new URL(icon.file, pub), await draw(page, svg, icon));
  // What is asked for by those who read no page first.
  await copyFile(new URL('icon.svg', pub), new URL('favicon.svg', pub));
  await browser.close();
}
