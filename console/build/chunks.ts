// Which modules share a file. A first screen is made of few files, each of which is asked for at once and packs well: what every
// page needs, the frame around the pages of a farm, the page itself and its texts. What opens above a page comes after that.
import { build, type PluginOption, type Rolldown } from 'vite';
import { pageEntries, src } from './pages.ts';

/** How many pages share a module before it goes into the file of what pages share. */
const SHARED_BY = 4;
/** What opens above a page: it loads when the first values are there (ui/later.tsx). */
const WINDOWS = [
  'features/shell/CollapsedNode.tsx',
  'features/shell/FarmMenu.tsx',
  'features/shell/MenuDrawer.tsx',
  'features/shell/NotificationBell.tsx',
  'features/shell/UserMenu.tsx',
  'features/stop/OpenStops.tsx',
  'features/stop/StopSheet.tsx',
  'screen/Why.tsx',
  'ui/Aside.tsx',
  'ui/DialogWindow.tsx',
  'ui/SheetWindow.tsx',
];

/** Pages that people open first: each is made of few files, and waits for nothing that it does not draw at first. */
const FIRST = {
  code: 'features/sign-in/CodeRequest.tsx',
  password: 'features/sign-in/PasswordForm.tsx',
  rules: 'features/rules/Rules.tsx',
  manual: 'routes/manual.tsx',
  day: 'features/day/Day.tsx',
};

/** React changes less often than the console; half of what every page needs, it comes beside the other half. */
const REACT = /\/node_modules\/(react|react-dom|scheduler)\//;

/** The layouts of pages of a farm; the others come before or beside it. */
const INSIDE = ['main', 'wall'];

type Chunk = Rolldown.OutputChunk;

/** What the files of a build need: the names of all files that the holders of some modules load before they run. */
export function filesOf(output: readonly (Chunk | Rolldown.OutputAsset)[]) {
  const chunks = output.filter((one): one is Chunk => one.type === 'chunk');
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  /** The files that hold a module, or lead to it: where a group has it, what is imported by its name is a file of its own. */
  const holding = (name: string): string[] => {
    const id = src(name);
    const holders = chunks.filter(
      (chunk) => chunk.facadeModuleId === id || chunk.moduleIds.some((one) => one.split('?')[0] === id),
    );
    if (holders.length === 0) throw new Error(`${name} is in no file of the build`);
    return holders.map(({ fileName }) => fileName);
  };
  return {
    byName,
    holding,
    closure(...modules: string[]): Set<string> {
      const seen = new Set<string>();
      const open = modules.flatMap(holding);
      for (let file = open.pop(); file !== undefined; file = open.pop()) {
        if (seen.has(file)) continue;
        seen.add(file);
        open.push(...(byName.get(file)?.imports ?? []));
      }
      return seen;
    },
  };
}

/**
 * The name of the file that each module goes into; none where the bundler is to decide. A build of its own tells what each
 * page needs: what a module imports says too much, before it is known what of that is used.
 */
export async function chunkNames(plugins: PluginOption[], alias: object[]): Promise<Map<string, string>> {
  const built = (await build({
    configFile: false,
    logLevel: 'error',
    plugins,
    resolve: { alias: alias as [] },
    build: {
      write: false,
      minify: false,
      cssMinify: false,
      target: 'es2022',
      assetsInlineLimit: 0,
      reportCompressedSize: false,
    },
  })) as Rolldown.RolldownOutput;
  const files = filesOf(built.output);
  const of = (...names: string[]) => {
    const chunks = [...files.closure(...names)].flatMap((file) => files.byName.get(file) ?? []);
    return new Set(chunks.flatMap(({ moduleIds }) => moduleIds));
  };
  const start = of('main.tsx');
  const frame = of('routes/main-layout.tsx');
  const today = of('features/dashboard/Dashboard.tsx');
  const windows = of(...WINDOWS);
  const first = Object.entries(FIRST).map(([name, module]) => ({
    name,
    modules: of(module),
    own: new Set(files.holding(module).flatMap((file) => files.byName.get(file)?.moduleIds ?? [])),
  }));
  const pages = [
    { signsIn: true, modules: of('routes/sign-in-layout.tsx') },
    ...pageEntries().map(({ layout, module }) => ({
      signsIn: !INSIDE.includes(layout),
      modules: of(`${module}.tsx`),
    })),
  ];
  const count = (id: string, signsIn: boolean) =>
    pages.filter((page) => page.signsIn === signsIn && page.modules.has(id)).length;
  const names = new Map<string, string>();
  for (const id of new Set([
    ...start,
    ...frame,
    ...windows,
    ...pages.flatMap(({ modules }) => [...modules]),
  ])) {
    const signIn = count(id, true);
    const inside = count(id, false);
    const isShared = inside > 1 || !id.includes('/features/dashboard/');
    const drawn = first.filter(({ modules }) => modules.has(id));
    const inFrame = frame.has(id) || (today.has(id) && isShared);
    if (REACT.test(id)) names.set(id, 'react');
    else if (start.has(id) || (inFrame && signIn > 0)) names.set(id, 'start');
    else if (inFrame) names.set(id, 'frame');
    else if (drawn.length > 0 && signIn > 0) names.set(id, 'fields');
    else if (drawn[0] && (inside > 1 || windows.has(id) || !drawn[0].own.has(id)))
      names.set(id, drawn.length > 1 || inside >= SHARED_BY ? 'fields' : `with-${drawn[0].name}`);
    else if (signIn > 0 && (inside > 0 || windows.has(id))) names.set(id, 'forms');
    else if (signIn > 1) names.set(id, 'sign-in');
    else if (windows.has(id)) names.set(id, 'windows');
    else if (inside >= SHARED_BY) names.set(id, 'shared');
  }
  return names;
}
