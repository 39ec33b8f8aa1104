// How far a trial has come, for who waits longer than a moment, and the way out of it.
import '@mantine/core/styles/Progress.css';
import { Button, Progress } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../i18n/format';
import classes from './Explained.module.css';
import { trialProgressQuery } from './queries';

interface Props {
  farmId: string;
  /** The trial's name. */
  name: string;
  onCancel: () => void;
}

export function TrialProgress({ farmId, name, onCancel }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const { data } = useQuery(trialProgressQuery(farmId, name));
  const percent = Math.floor((data?.done ?? 0) / 10);
  return (
    <div className={classes['progress']} data-trial-progress>
      <Progress value={percent} aria-label={t('explained.progress', { value: format.count(percent) })} />
      <span>{t('explained.progress', { value: format.count(percent) })}</span>
      <Button variant="subtle" onClick={onCancel}>
        {t('form.cancel')}
      </Button>
    </div>
  );
}
