// The table of pages as far as the build needs it: read as text, because it is made of components.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A file under src/. */
export const src = (name: string) => fileURLToPath(new URL(`../src/${name}`, import.meta.url));

interface PageEntry {
  paths: string[];
  module: string;
  layout: string;
  texts?: string;
}

export function pageEntries(source = readFileSync(src('pages.ts'), 'utf8')): PageEntry[] {
  const entry =
    /\{\s*path: '([^']+)',((?:(?!\bpath: ')[\s\S])*?)(?:farm|load): \(\) => import\('\.\/([^']+)'\)/g;
  const found = [...source.matchAll(entry)].map(([, path = '', body = '', module = '']): PageEntry => {
    const also = /also: \[([^\]]*)\]/.exec(body)?.[1] ?? '';
    const texts = /texts: '(\w+)'/.exec(body)?.[1];
    return {
      paths: [path, ...also.split(',').map((one) => one.trim().replaceAll("'", ''))].filter(Boolean),
      module,
      layout: /layout: '(\w+)'/.exec(body)?.[1] ?? 'main',
      ...(texts && { texts }),
    };
  });
  const expected = source.match(/^ {4}path: '/gm)?.length ?? 0;
  if (found.length !== expected) throw new Error(`read ${found.length} of ${expected} pages of pages.ts`);
  return found;
}
