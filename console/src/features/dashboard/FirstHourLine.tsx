// Leads to the first hour, on the farm's first page, until its first rule is there or somebody puts it away.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import Steps from '~icon/ListCheck';
import { rulesQuery } from '../../api/queries';
import { useFormat } from '../../i18n/format';
import { useFirstHour, useFirstHourAway } from '../../screen/first-hour';
import { useIsGuide } from '../../screen/guides';
import { Link } from '../../screen/Link';
import classes from './FirstHourLine.module.css';

export function FirstHourLine({ farmId }: { farmId: string }) {
  const guided = useIsGuide();
  // What the page asks anyway tells whether there is anything to say: a farm at work is asked nothing more.
  const rules = useQuery({ ...rulesQuery(farmId), enabled: guided }).data;
  const [away, setAway] = useFirstHourAway(farmId);
  if (!guided || away || rules === undefined || rules.length > 0) return null;
  return <Line farmId={farmId} onAway={() => setAway(true)} />;
}

function Line({ farmId, onAway }: { farmId: string; onAway: () => void }) {
  const { t } = useTranslation();
  const { count } = useFormat();
  const { steps } = useFirstHour(farmId);
  if (!steps) return null;
  const done = steps.filter((step) => step.done).length;
  const next = steps.find((step) => !step.done && step.to !== undefined);
  return (
    <section className={classes['line']} aria-label={t('screen.firstHour')} data-first-hour>
      <Steps size={28} aria-hidden />
      <div className={classes['words']}>
        <h2>{t('screen.firstHour')}</h2>
        <p>
          {t('dashboard.firstHour.done', { done: count(done), all: count(steps.length) })}{' '}
          {next && t(`dashboard.firstHour.next.${next.name}`)}
        </p>
      </div>
      <Button component={Link} to="/start">
        {t('dashboard.firstHour.open')}
      </Button>
      <Button variant="subtle" color="var(--h-ink)" onClick={onAway}>
        {t('dashboard.firstHour.away')}
      </Button>
    </section>
  );
}
