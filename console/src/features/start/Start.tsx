// The guided first hour: from an empty farm to its first rule, a step a line. What is done is what the farm has.
import { Button, Skeleton } from '@mantine/core';
import type { ParseKeys } from 'i18next';
import { useTranslation } from 'react-i18next';
import Done from '~icon/CircleCheck';
import Open from '~icon/CircleDashed';
import type { FarmPageProps } from '../../api/farms';
import { failedLoad, failedOf } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { type Step, useFirstHour, useFirstHourAway } from '../../screen/first-hour';
import { useIsGuide } from '../../screen/guides';
import { Link } from '../../screen/Link';
import { Banner } from '../../ui/Banner';
import { PageLayout } from '../../ui/PageLayout';
import classes from './Start.module.css';

export default function Start({ farmId }: FarmPageProps) {
  const { t } = useTranslation();
  if (!useIsGuide())
    return (
      <PageLayout title={t('screen.firstHour')}>
        <Banner tone="quiet" text={t('start.others')} />
      </PageLayout>
    );
  return <Guide farmId={farmId} />;
}

function Guide({ farmId }: { farmId: string }) {
  const { t } = useTranslation();
  const { count } = useFormat();
  const { steps, failed } = useFirstHour(farmId);
  const [away, setAway] = useFirstHourAway(farmId);
  const broken = failedOf(failed);
  const done = steps?.filter((step) => step.done).length ?? 0;
  const next = steps?.find((step) => !step.done && step.to !== undefined);
  const finished = steps?.every((step) => step.done);
  return (
    <PageLayout
      title={t('screen.firstHour')}
      about={steps && t('start.done', { done: count(done), all: count(steps.length) })}
      actions={
        !away &&
        steps &&
        !finished && (
          <Button variant="default" onClick={() => setAway(true)}>
            {t('start.away')}
          </Button>
        )
      }
    >
      {broken && <Banner {...failedLoad(t, broken, t('start.failed'))} />}
      {!steps && !broken && <Skeleton height={420} radius="md" />}
      {finished && <Banner tone="good" text={t('start.finished')} />}
      {away && !finished && (
        <Banner
          tone="quiet"
          text={t('start.isAway')}
          action={{ label: t('start.back'), run: () => setAway(false) }}
        />
      )}
      {steps && (
        <ol className={classes['steps']}>
          {steps.map((step, nth) => (
            <Line key={step.name} step={step} number={count(nth + 1)} next={step.name === next?.name} />
          ))}
        </ol>
      )}
    </PageLayout>
  );
}

function Line({ step, number, next }: { step: Step; number: string; next: boolean }) {
  const { t } = useTranslation();
  const { name, done, begun, to } = step;
  const text = (what: 'title' | 'why' | 'do' | 'begun') => t(`start.${name}.${what}` as ParseKeys) as string;
  return (
    <li data-step={name} data-done={done} data-next={next} aria-current={next ? 'step' : undefined}>
      <span className={classes['mark']}>
        {done ? <Done size={28} aria-hidden /> : <Open size={28} aria-hidden />}
      </span>
      <div className={classes['words']}>
        <h2>
          {number}. {text('title')}
        </h2>
        <p>{done ? t('start.isDone') : text(begun ? 'begun' : 'why')}</p>
      </div>
      {!done &&
        (to === undefined ? (
          <p className={classes['later']}>{t('start.notYet')}</p>
        ) : (
          <Button component={Link} to={to} variant={next ? 'filled' : 'default'}>
            {text('do')}
          </Button>
        ))}
    </li>
  );
}
