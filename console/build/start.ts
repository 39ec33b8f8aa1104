// What index.html starts with: the colours of what stands there before anything has loaded, and the script that begins what the
// page at this address will need (src/early.ts), with the names that the build gave to the files.
import type { Plugin, Rolldown } from 'vite';
import type { StartPlan } from '../src/early';
import areas from '../src/i18n/areas.json' with { type: 'json' };
import { dark, light, type Palette, type Token } from '../src/ui/tokens.ts';
import { filesOf } from './chunks.ts';
import { pageEntries } from './pages.ts';
import { script } from './worker.ts';

const LANGUAGES = ['en', 'hi', 'mr'];
/** The roles in which the waiting page is drawn. */
const DRAWN: readonly Token[] = ['ground', 'surface', 'sunken', 'line', 'soft', 'nav'];

/** The colours of both schemes, as the early script chooses between them. */
function colours(): string {
  const of = (palette: Palette) => DRAWN.map((token) => `--start-${token}:${palette[token]}`).join(';');
  return (
    `:root{${of(light)}}` +
    `@media(prefers-color-scheme:dark){:root{${of(dark)}}}` +
    `:root[data-mantine-color-scheme=light]{${of(light)}}` +
    `:root[data-mantine-color-scheme=dark]{${of(dark)}}`
  );
}

/** Which files each page needs beside those that index.html names itself. */
export function startPlan(bundle: Rolldown.OutputBundle): StartPlan {
  const built = filesOf(Object.values(bundle));
  const first = built.closure('main.tsx');
  const files: string[] = [];
  const needs = (...modules: string[]): number[] => {
    const chunks = [...built.closure(...modules)].filter((file) => !first.has(file));
    const styles = chunks.flatMap((file) => [...(built.byName.get(file)?.viteMetadata?.importedCss ?? [])]);
    return [...chunks, ...styles].map((file) => {
      if (!files.includes(file)) files.push(file);
      return files.indexOf(file);
    });
  };
  const pages: StartPlan['pages'] = {};
  for (const { paths, module, ...more } of pageEntries()) {
    const own = needs(`${module}.tsx`);
    for (const path of paths) pages[path] = { files: own, ...more };
  }
  return {
    styles: [...first].flatMap((file) => [...(built.byName.get(file)?.viteMetadata?.importedCss ?? [])]),
    frame: needs('routes/main-layout.tsx'),
    signIn: needs('routes/sign-in-layout.tsx'),
    pages,
    languages: Object.fromEntries(
      LANGUAGES.map((language) => [
        language,
        {
          files: needs(`i18n/${language}/index.ts`),
          areas: Object.fromEntries(
            Object.entries(areas).map(([area, names]) => [
              area,
              needs(...names.map((name) => `i18n/${language}/${name}.json`)),
            ]),
          ),
        },
      ]),
    ),
    files,
  };
}

/** Puts both into index.html. */
export function startOfPage(): Plugin {
  return {
    name: 'harit-start',
    enforce: 'post',
    transformIndexHtml: { order: 'pre', handler: (html) => html.replace('/* colours */', colours()) },
    generateBundle: {
      order: 'post',
      async handler(_, bundle) {
        const page = bundle['index.html'];
        if (page?.type !== 'asset') throw new Error('the build has no index.html');
        const plan = startPlan(bundle);
        const code = await script('early.ts', `start(${JSON.stringify(plan)});`);
        // In the page itself: as a file it would come a whole way to the server later, and with it all that it asks for. The
        // sheets that the page would wait for before it draws anything are its as well.
        const sheets = /\s*<link rel="stylesheet"[^>]*>/g;
        page.source = String(page.source)
          .replace(sheets, '')
          .replace('<!-- early -->', () => `<script>${code}</script>`);
      },
    },
  };
}
