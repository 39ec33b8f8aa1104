// What stands in place of a page whose code could not be loaded so far: it is asked for again until it comes.
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Notice } from '../ui/Notice';
import { endStart } from './start';

export function NotYet() {
  const { t } = useTranslation();
  useEffect(endStart, []);
  return (
    <div role="status">
      <Notice title={t('app.notYet')} text={t('app.notYetText')} />
    </div>
  );
}
