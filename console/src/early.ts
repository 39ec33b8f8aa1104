// Runs in the head of the page, before anything else of the console has come: gives the page its scheme and language, has the
// browser fetch what the page at this address is made of, and asks the server what it will show first (api/early.ts hands that to
// the client). The build puts it into index.html by itself, so it imports nothing (build/start.ts); without it all goes as before.

/** What the build knows: each page's own files, by the paths under which it is found, and those of each language. */
export interface StartPlan {
  /** The style sheets of every page. */
  styles: string[];
  /** What the numbers below stand for. */
  files: string[];
  /** Around the pages that somebody who is signed in sees, and around the others. */
  frame: number[];
  signIn: number[];
  pages: Record<string, { files: number[]; layout: string; texts?: string }>;
  languages: Record<string, { files: number[]; areas: Record<string, number[]> }>;
}

export interface Early {
  plan: StartPlan;
  /** Has the browser fetch all that the page is made of that pages.ts has at a path, in the language that is shown. */
  fetchPage(path: string): void;
  /** What was asked for before the client was there, by address. */
  asked: Map<string, { token: string; language: string; at: number; answer: Promise<Response> }>;
  /** Settled when the style sheets of every page are there, or cannot be had: what waits for that meanwhile needs none of them. */
  styled: Promise<unknown>;
  /** Settled when nothing more will be asked. */
  allAsked: Promise<unknown>;
}

declare global {
  interface Window {
    harit?: Early;
  }
}

/** What the pages where a second counts show first, below the farm. */
const FIRST: Record<string, readonly string[]> = {
  '/dashboard': ['verdict', 'latest-telemetry', 'devices'],
  '/automation/manual': ['devices'],
  '/automation/rules': ['rules'],
  '/day': ['polyhouses', 'latest-telemetry'],
  '/work': ['work'],
};
/** What some show with it: asked for behind the code, which is not to wait for a line to the server. */
const NEXT: Record<string, readonly string[]> = {
  '/automation/manual': ['stop', 'polyhouses', 'rules', 'conditions'],
  '/automation/rules': ['stop', 'polyhouses', 'devices', 'conditions', 'setpoints'],
};
/** The farm that was first in the list the last time. */
const FIRST_FARM = 'first-farm';

/** Begins. */
export function start(plan: StartPlan): void {
  const root = document.documentElement;
  // Put in by a script they hold up nothing: what stands in the page until the code is there is drawn without them.
  const styled = Promise.all(
    plan.styles.map((file) => {
      const sheet = link('stylesheet', file);
      return new Promise((settle) => {
        sheet.addEventListener('load', settle);
        sheet.addEventListener('error', settle);
      });
    }),
  );
  const kept = (name: string) => localStorage.getItem(name) ?? '';
  const wished = new URLSearchParams(location.search).get('lang') ?? '';
  const language = [wished, kept('language')].find((one) => one in plan.languages) ?? 'en';
  root.lang = language;
  const scheme = kept('mantine-color-scheme-value');
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const auto = isDark ? 'dark' : 'light';
  root.setAttribute('data-mantine-color-scheme', scheme && scheme !== 'auto' ? scheme : auto);

  const token = kept('token');
  const isIn = token !== '' && kept('user') !== '';
  const home = isIn ? '/dashboard' : '/login';
  const known = plan.pages[location.pathname];
  // The guard leads who is not signed in away from a page of the farm, and who is from the sign-in.
  const path = known && isIn === (known.layout !== 'signIn') ? location.pathname : home;
  const page = plan.pages[path];
  root.dataset['starts'] = page?.layout === 'main' ? 'farm' : 'open';
  const fetchPage = (path: string) => {
    const page = plan.pages[path];
    const { files, areas } = plan.languages[root.lang] ?? { files: [], areas: {} };
    const around = page?.layout === 'main' ? plan.frame : page?.layout === 'signIn' ? plan.signIn : [];
    for (const nth of new Set([
      ...around,
      ...(page?.files ?? []),
      ...files,
      ...(areas[page?.texts ?? ''] ?? []),
    ])) {
      preload(plan.files[nth]);
    }
  };
  const asked: Early['asked'] = new Map();
  const early: Early = { plan, fetchPage, asked, styled, allAsked: Promise.resolve() };
  window.harit = early;
  const ask = (path: string) => {
    const headers = {
      Accept: 'application/json',
      Authorization: `Bearer ${token}`,
      'Accept-Language': language,
    };
    const answer = fetch(path, { headers, credentials: 'include' });
    asked.set(path, { token, language, at: Date.now(), answer });
    return answer;
  };
  const askOf = (farm: string, parts: readonly string[] = []) => {
    for (const part of parts) ask(`/api/farms/${farm}/${part}`).catch(() => undefined);
  };
  const before = kept('farm') || kept(FIRST_FARM);
  const asks = isIn && page?.layout === 'main';
  // Before the code: a browser has few lines to a server, and what comes last waits for one.
  if (asks) {
    if (before) askOf(before, FIRST[path]);
    early.allAsked = ask('/api/farms')
      .then((answer) => (answer.ok ? answer.clone().json() : []))
      .then(([first]: { id: string }[]) => {
        if (!first) return;
        localStorage.setItem(FIRST_FARM, first.id);
        if (!before) askOf(first.id, [...(FIRST[path] ?? []), ...(NEXT[path] ?? [])]);
      })
      .catch(() => undefined);
  }
  fetchPage(path);
  if (asks && before) askOf(before, NEXT[path]);
  // The first of Intl's dates takes an old phone 60 ms: meanwhile it has nothing else to do, later values wait for it.
  requestAnimationFrame(() => setTimeout(() => new Intl.DateTimeFormat(language, { timeStyle: 'short' })));
}

function preload(file: string | undefined): void {
  if (!file || document.head.querySelector(`link[href="/${file}"]`)) return;
  if (file.endsWith('.css')) link('preload', file, 'style');
  else link('modulepreload', file);
}

function link(rel: string, file: string, as?: string): HTMLLinkElement {
  const link = document.createElement('link');
  link.rel = rel;
  if (as) link.as = as;
  link.crossOrigin = '';
  link.href = `/${file}`;
  document.head.append(link);
  return link;
}
