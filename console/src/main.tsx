// Starts the console: session and language first, then the page.
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router';
import { createCache } from './api/cache';
import { followOtherTabs, restoreSession } from './api/session';
import { takeBothDigits } from './i18n/digits';
import { startI18n } from './i18n/i18n';
import { createRouter } from './routes/router';
import './ui/fonts.css';
import './ui/mantine.css';
import './ui/base.css';
import { restoreScheme } from './ui/scheme';
import { cssVariables, theme } from './ui/theme';
import { followUpdates } from './update';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');

restoreScheme();
restoreSession();
followOtherTabs();
followUpdates();
takeBothDigits();
await startI18n();

createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <QueryClientProvider client={createCache()}>
        {/* Not in a transition: a slow phone would go on with the page before, and a tap would be meant for what it shows. */}
        <RouterProvider router={createRouter()} useTransitions={false} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
