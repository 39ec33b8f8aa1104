// Where questions and toasts appear, once for all pages.
import '@mantine/core/styles/ScrollArea.css';
import { ModalsProvider } from '@mantine/modals';
import { useNotifications } from '@mantine/notifications';
import { lazy, Suspense, useEffect } from 'react';
import { showQuestions } from './questions';

const load = () => import('./Toasts');
const Toasts = lazy(load);

export function Aside() {
  const { notifications } = useNotifications();
  // After the page, and before a connection may be gone that a toast tells of.
  useEffect(showQuestions, []);
  useEffect(() => void load().catch(() => undefined), []);
  return (
    <>
      <ModalsProvider>{null}</ModalsProvider>
      <Suspense>{notifications.length > 0 && <Toasts />}</Suspense>
    </>
  );
}
