// Starts the console: session and language first, then the page.
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter } from 'react-router';
import { createCache, tellTogether } from './api/cache';
import { keepEarly } from './api/early';
import { followOtherTabs, restoreSession } from './api/session';
import { takeBothDigits } from './i18n/digits';
import { startI18n } from './i18n/i18n';
import { Pages } from './routes/router';
import './ui/meanwhile.css';
import './ui/mantine.css';
import './ui/base.css';
import { firstShown } from './ui/first';
import { restoreScheme } from './ui/scheme';
import { cssVariables, theme } from './ui/theme';
import { followUpdates, keepOffline } from './update';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');

restoreScheme();
restoreSession();
followOtherTabs();
followUpdates();
tellTogether();
const cache = createCache();
keepEarly(cache);
takeBothDigits();
if (import.meta.env.PROD) void keepOffline(firstShown);
// Without a connection the next start tries again.
loadFonts().catch(() => undefined);
await Promise.all([startI18n(), window.harit?.styled]);

startTransition(() =>
  createRoot(root).render(
    <StrictMode>
      {/* It writes all of its variables: nothing of them has to be loaded. */}
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        deduplicateCssVariables={false}
      >
        <QueryClientProvider client={cache}>
          {/* Not in a transition: a slow phone would go on with the page before, and a tap would be meant for what it shows. */}
          <BrowserRouter useTransitions={false}>
            <Pages />
          </BrowserRouter>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  ),
);

/**
 * A device that never had the fonts keeps the faces that stand in on its first page, and fetches them meanwhile for its next start:
 * a page laid out anew moves under a finger, and keeps an old phone from answering.
 */
async function loadFonts(): Promise<void> {
  const HAS_FONTS = 'has-fonts';
  if (localStorage.getItem(HAS_FONTS)) return void (await import('./ui/fonts.css'));
  await firstShown;
  const { keepFonts } = await import('./ui/keep-fonts');
  await keepFonts(document.documentElement.lang);
  localStorage.setItem(HAS_FONTS, 'yes');
}
