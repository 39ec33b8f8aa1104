// A rule tried on the readings that there were: what it would have done beside what was.
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { newId } from '../../api/new-id';
import { useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { Checkbox } from '../../ui/Checkbox';
import { Chips } from '../../ui/Chips';
import classes from './Explained.module.css';
import { type Backtest, tryRules } from './queries';
import { TrialChart } from './TrialChart';
import { TrialProgress } from './TrialProgress';
import { Twin } from './Twin';
import { Waits } from './Waits';

const DAYS = ['1', '7', '30'] as const;
const DAY_MS = 24 * 3_600_000;

interface Props {
  farmId: string;
  /** The rule as it would be stored, with the id of the one that it takes the place of. */
  rule: Record<string, unknown> & { id: string };
}

export function TryRule({ farmId, rule }: Props) {
  const { t } = useTranslation();
  const [days, setDays] = useState<(typeof DAYS)[number]>('1');
  const [twin, setTwin] = useState(false);
  const asked = useRef<AbortController>(undefined);
  const [name] = useState(newId);
  // Who leaves does not want the answer any more, and the server stops.
  useEffect(() => () => asked.current?.abort(), []);
  const trial = useMutation({
    mutationFn: () => {
      asked.current?.abort();
      asked.current = new AbortController();
      const tried = { ...rule, deployed: true, mode: 'auto' };
      const from = Date.now() - Number(days) * DAY_MS;
      return tryRules(farmId, { rules: [tried] as never, from, name, twin }, asked.current.signal);
    },
  });
  const cancel = () => {
    asked.current?.abort();
    trial.reset();
  };
  return (
    <div className={classes['explained']} data-trial>
      <p>{t('explained.tryHint')}</p>
      <Chips
        label={t('explained.span')}
        values={DAYS}
        told={(value) => t(`explained.days.${value}`)}
        chosen={days}
        onChoose={setDays}
      />
      <Checkbox
        label={t('explained.twin')}
        checked={twin}
        onChange={(e) => setTwin(e.currentTarget.checked)}
      />
      <Button variant="default" loading={trial.isPending} onClick={() => trial.mutate()}>
        {t('explained.try')}
      </Button>
      {trial.isPending && <TrialProgress farmId={farmId} name={name} onCancel={cancel} />}
      {trial.isError && <Waits error={trial.error} />}
      {trial.data && <Outcome farmId={farmId} found={trial.data} rule={rule} />}
    </div>
  );
}

function Outcome({ farmId, found, rule }: Props & { found: Backtest }) {
  const { t } = useTranslation();
  const ruleId = rule.id;
  const format = useFormat();
  const words = useDomain();
  const times = (count: number) => t('explained.timesOf', { count, number: format.count(count) });
  const ruleOf = (run: Backtest['was']) => run.rules.find(({ id }) => id === ruleId);
  const deviceOf = (id: string) => found.was.devices.find((device) => device.id === id);
  const would = ruleOf(found.would);
  const devices = found.would.devices.filter(
    ({ id, on_ms, starts }) => deviceOf(id)?.on_ms !== on_ms || deviceOf(id)?.starts !== starts,
  );
  const conflicts = would ? [would.blocked, would.skipped, would.suppressed, would.held] : [];
  const stopped = conflicts.reduce((sum, n) => sum + n, 0);
  const feeding = [...new Set(found.feedback.map(({ device }) => device))];
  const nameOf = (id: string) => found.would.devices.find((device) => device.id === id)?.name || id;
  const lasted = (ms: number) => words.duration(Math.round(ms / 60_000) * 60);
  return (
    <div className={classes['outcome']} aria-live="polite">
      {found.approximate && <p data-approximate>{t('explained.approximate')}</p>}
      <dl className={classes['trial']}>
        <Beside
          term={t('explained.fired')}
          would={times(would?.fired ?? 0)}
          was={times(ruleOf(found.was)?.fired ?? 0)}
        />
        {stopped > 0 && <Beside term={t('explained.conflicts')} would={times(stopped)} />}
        {devices.map(({ id, name, on_ms, starts, ml }) => (
          <Beside
            key={id}
            term={name || id}
            would={[lasted(on_ms), times(starts), ml !== null && litres(ml)].filter(Boolean).join(', ')}
            was={[lasted(deviceOf(id)?.on_ms ?? 0), times(deviceOf(id)?.starts ?? 0)].join(', ')}
          />
        ))}
      </dl>
      {found.hazards
        .filter(({ rule }) => rule === ruleId)
        .map(({ kind }) => (
          <p key={kind} data-hazard={kind}>
            {t(`explained.${kind === 'never_fires' ? 'neverFires' : 'neverStops'}`)}
          </p>
        ))}
      {devices.length > 0 && <TrialChart farmId={farmId} found={found} devices={devices} rule={rule} />}
      {devices.length === 0 && <p>{t('explained.noDevices')}</p>}
      {found.twin && <Twin twin={found.twin} switched={devices.map(({ id }) => id)} nameOf={nameOf} />}
      {feeding.length > 0 && <p>{t('explained.feedback', { devices: format.list(feeding.map(nameOf)) })}</p>}
    </div>
  );

  function litres(ml: number): string {
    return t('explained.ml', { value: format.count(Math.round(ml / 1_000)) });
  }
}

function Beside({ term, would, was }: { term: string; would: string; was?: string }) {
  const { t } = useTranslation();
  return (
    <div>
      <dt>{term}</dt>
      <dd>
        <strong>{would}</strong> {was !== undefined && <small>{t('explained.was', { value: was })}</small>}
      </dd>
    </div>
  );
}
