// Compiles the service worker to /sw.js: another build is another worker, by the names of its files.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { minify, type Plugin, transformWithOxc } from 'vite';
import type { WorkerPlan } from '../src/worker.ts';
import { filesOf } from './chunks.ts';
import { src } from './pages.ts';

/** What a first screen is made of, in any language; its texts are kept when they come. */
const FIRST = ['main.tsx', 'routes/main-layout.tsx', 'features/dashboard/Dashboard.tsx'];

/** A script that imports nothing, from a module under src/ and what is to be done with its functions. */
export async function script(name: string, run: string): Promise<string> {
  const { code } = await transformWithOxc(readFileSync(src(name), 'utf8'), name, { target: 'es2022' });
  const { code: small } = await minify(name, `(() => {${code.replace(/^export /gm, '')}\n${run}})();`);
  return small;
}

export function worker(): Plugin {
  return {
    name: 'harit-worker',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      async handler(_, bundle) {
        const built = filesOf(Object.values(bundle));
        const chunks = [...built.closure(...FIRST)];
        const styles = chunks.flatMap((file) => [
          ...(built.byName.get(file)?.viteMetadata?.importedCss ?? []),
        ]);
        const page = bundle['index.html'];
        const text = page?.type === 'asset' ? String(page.source) : '';
        // What the page names itself: the early script and the font of the first screen, if it has one.
        const named = [...text.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, file = '']) => file);
        const first = [...new Set([...named, ...chunks, ...styles])].map((file) => `/${file}`);
        const version = createHash('sha256')
          .update(text + Object.keys(bundle).toSorted().join())
          .digest('hex')
          .slice(0, 12);
        const plan: WorkerPlan = { version, first };
        this.emitFile({
          type: 'asset',
          fileName: 'sw.js',
          source: await script('worker.ts', `work(self, ${JSON.stringify(plan)});`),
        });
      },
    },
  };
}
