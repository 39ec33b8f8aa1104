// The steps by which an alert is told, one after the other until somebody answers.
import { ActionIcon, Button, NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import Add from '~icon/Plus';
import Remove from '~icon/Trash';
import { useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { roleNames, useRoleName } from '../../i18n/roles';
import { Panel } from '../../ui/Panel';
import { Tick } from '../../ui/Tick';
import { severityNames } from './AlertCard';
import alertClasses from './Alerts.module.css';
import { severities } from './alert';
import { MAX_STEPS, type Person, type Step, toggled, WAITS, whoValue, withWho } from './told';
import classes from './WhoIsTold.module.css';

interface Props {
  steps: readonly Step[];
  people: readonly Person[];
  errors: { readonly [path: string]: ReactNode };
  onChange: (steps: Step[]) => void;
}

export function Steps({ steps, people, errors, onChange }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const put = (n: number, step: Step) => onChange(steps.map((each, at) => (at === n ? step : each)));
  const last = steps.at(-1)?.afterMin ?? 0;
  return (
    <Panel title={t('told.steps')} hint={t('told.stepsHint')}>
      {steps.length === 0 && <p className={alertClasses['hint']}>{t('told.noSteps')}</p>}
      <ol className={classes['cards']}>
        {steps.map((step, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps have no identity of their own, and no state
          <li key={n} className={classes['card']}>
            <div className={classes['cardHead']}>
              <h3>{t('told.step', { n: format.count(n + 1) })}</h3>
              <ActionIcon
                variant="subtle"
                size="xl"
                aria-label={t('told.removeStep', { n: format.count(n + 1) })}
                onClick={() => onChange(steps.filter((_, at) => at !== n))}
              >
                <Remove size={22} aria-hidden />
              </ActionIcon>
            </div>
            <StepFields
              step={step}
              people={people}
              error={errors[`steps.${n}`]}
              onChange={(s) => put(n, s)}
            />
          </li>
        ))}
      </ol>
      {steps.length < MAX_STEPS && (
        <Button
          variant="default"
          leftSection={<Add size={20} aria-hidden />}
          onClick={() =>
            onChange([
              ...steps,
              {
                who: { kind: 'on_duty' },
                afterMin: steps.length === 0 ? 0 : last + 10,
                severities: ['critical'],
              },
            ])
          }
        >
          {t('told.addStep')}
        </Button>
      )}
    </Panel>
  );
}

interface StepProps {
  step: Step;
  people: readonly Person[];
  error: ReactNode;
  onChange: (step: Step) => void;
}

function StepFields({ step, people, error, onChange }: StepProps) {
  const { t } = useTranslation();
  const words = useDomain();
  const roleName = useRoleName();
  const { who } = step;
  const waits = [...new Set([...WAITS, step.afterMin])].sort((a, b) => a - b);
  return (
    <>
      <NativeSelect
        label={t('told.who')}
        value={whoValue(step)}
        onChange={(event) => onChange(withWho(step, event.currentTarget.value))}
        data={[
          { value: 'on_duty', label: t('told.onDuty') },
          ...roleNames.map((role) => ({
            value: `role:${role}`,
            label: t('told.all', { role: roleName(role) }),
          })),
          { value: 'people', label: t('told.named') },
        ]}
      />
      {who.kind === 'people' && (
        <div className={alertClasses['ticks']}>
          {people.map(({ id, name }) => (
            <Tick
              key={id}
              checked={who.people.includes(id)}
              onChange={() =>
                onChange({
                  ...step,
                  who: {
                    kind: 'people',
                    people: toggled(
                      who.people,
                      id,
                      people.map((p) => p.id),
                    ),
                  },
                })
              }
            >
              {name}
            </Tick>
          ))}
        </div>
      )}
      <NativeSelect
        label={t('told.when')}
        value={String(step.afterMin)}
        onChange={(event) => onChange({ ...step, afterMin: Number(event.currentTarget.value) })}
        data={waits.map((min) => ({
          value: String(min),
          label: min === 0 ? t('told.atOnce') : t('told.after', { duration: words.duration(min * 60) }),
        }))}
      />
      <fieldset className={alertClasses['group']}>
        <legend>{t('told.severities')}</legend>
        <div className={alertClasses['ticks']}>
          {severities.map((severity) => (
            <Tick
              key={severity}
              checked={step.severities.includes(severity)}
              wrong={error !== undefined}
              onChange={() =>
                onChange({ ...step, severities: toggled(step.severities, severity, severities) })
              }
            >
              {t(severityNames[severity])}
            </Tick>
          ))}
        </div>
      </fieldset>
      {error && <p className={alertClasses['problem']}>{error}</p>}
    </>
  );
}
