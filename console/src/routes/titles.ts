// What a browser's tab, its history and a screen reader call the page at a path.
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router';
import { pageAt } from '../pages';

/** Names the document after the page, in the language being shown. */
export function useTitle(): void {
  const { t } = useTranslation();
  const page = pageAt(useLocation().pathname);
  const title = page ? `${t(page.title)} · ${t('app.name')}` : t('app.name');
  useEffect(() => {
    document.title = title;
  }, [title]);
}
