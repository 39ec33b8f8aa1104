// The way on from a page that has nothing to show until the farm is set up, for who may do that.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useIsGuide } from './guides';
import { Link } from './Link';

export function ToFirstHour() {
  const { t } = useTranslation();
  if (!useIsGuide()) return null;
  return (
    <Button component={Link} to="/start">
      {t('screen.setUp')}
    </Button>
  );
}
