// What is set up most: ready programs, which ask a few things, and the usual jobs of the place, where a tap writes the sentence.
import { UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type SensorTypeName, useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import type { Scope } from '../../screen/condition/places';
import { noAnswers } from './asks';
import type { FarmThings } from './farm';
import type { RuleFields } from './form';
import classes from './Jobs.module.css';
import { ProgramForm } from './ProgramForm';
import { type Ready, readyAt } from './ready';
import { type Job, jobsAt, type Sensor } from './recipes';

interface Props {
  place: Scope;
  sensors: readonly Sensor[] | undefined;
  /** The quantity that the rule is to be about: its jobs come first. */
  about: SensorTypeName | undefined;
  things: FarmThings;
  onChoose: (fields: Partial<RuleFields>) => void;
}

/** As many devices as a line has room for. */
const MAX_NAMED = 3;

export function Jobs({ place, sensors, about, things: { devices, houses }, onChoose }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const [asked, setAsked] = useState<Ready>();
  const all = jobsAt(place, sensors ?? [], devices, houses);
  const isAbout = ({ sensor }: Job) => sensor === about;
  const jobs = [...all.filter(isAbout), ...all.filter((job) => !isAbout(job))];
  const programs = readyAt(place, sensors ?? [], devices, houses);
  const namesOf = (job: Job) =>
    job.devices.length === 0
      ? words.device(job.type)
      : format.list(job.devices.slice(0, MAX_NAMED).map(({ name }) => name));
  return (
    <>
      {programs.length > 0 && (
        <section className={classes['jobs']} aria-label={t('rules.ready.title')}>
          <h2>{t('rules.ready.title')}</h2>
          <ul>
            {programs.map((ready) => (
              <li key={ready.id}>
                <UnstyledButton data-program={ready.id} onClick={() => setAsked(ready)}>
                  <strong>{t(`rules.ready.${ready.id}.title`)}</strong>
                  <span>{t(`rules.ready.${ready.id}.hint`)}</span>
                </UnstyledButton>
              </li>
            ))}
          </ul>
        </section>
      )}
      {jobs.length > 0 && (
        <section className={classes['jobs']} aria-label={t('rules.jobs')}>
          <h2>{t('rules.jobs')}</h2>
          <ul>
            {jobs.map((job) => (
              <li key={`${job.id} ${job.place}`}>
                <UnstyledButton data-job={job.id} onClick={() => onChoose(job.make(noAnswers))}>
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
      )}
      <ProgramForm
        ready={asked}
        devices={devices}
        onClose={() => setAsked(undefined)}
        onMake={(fields) => {
          setAsked(undefined);
          onChoose(fields);
        }}
      />
    </>
  );
}
