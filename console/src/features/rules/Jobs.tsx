// The usual jobs of a polyhouse: a tap writes the sentence.
import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import type { Scope } from '../../screen/condition/places';
import type { FarmThings } from './farm';
import classes from './Jobs.module.css';
import { type Job, jobsAt, type Sensor } from './recipes';

interface Props {
  place: Scope;
  sensors: readonly Sensor[] | undefined;
  things: FarmThings;
  onChoose: (job: Job) => void;
}

/** As many devices as a line has room for. */
const MAX_NAMED = 3;

export function Jobs({ place, sensors, things: { devices, houses }, onChoose }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const jobs = jobsAt(place, sensors ?? [], devices, houses);
  if (jobs.length === 0) return null;
  const namesOf = (job: Job) =>
    job.devices.length === 0
      ? words.device(job.type)
      : format.list(job.devices.slice(0, MAX_NAMED).map(({ name }) => name));
  return (
    <section className={classes['jobs']} aria-label={t('rules.jobs')}>
      <h2>{t('rules.jobs')}</h2>
      <ul>
        {jobs.map((job) => (
          <li key={`${job.id} ${job.place}`}>
            <UnstyledButton data-job={job.id} onClick={() => onChoose(job)}>
              <strong>{t(`rules.job.${job.id}`, { device: namesOf(job) })}</strong>
              <span>
                {t('rules.jobLimit', {
                  quantity: words.quantity(job.sensor),
                  sign: words.operatorSign(job.operator),
                  value: words.amount(job.sensor, job.value),
                })}
              </span>
            </UnstyledButton>
          </li>
        ))}
      </ul>
    </section>
  );
}
