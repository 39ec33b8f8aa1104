// The devices that would have done something else: when each was on and when it would have been, one above the other, below the
// signal that the rule looks at.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { LineDrawing } from '../../ui/LineDrawing';
import { StateStrip, type Stretch } from '../../ui/StateStrip';
import classes from './Explained.module.css';
import { type Backtest, signalOf, trialSignalQuery } from './queries';

type Device = Backtest['would']['devices'][number];

/** More would be a wall: the figures name them all. */
const MOST_DEVICES = 4;
const DAY_MS = 24 * 3_600_000;
const NO_TICKS: never[] = [];

interface Props {
  farmId: string;
  found: Backtest;
  /** Those that differ, as they would have been. */
  devices: readonly Device[];
  rule: Record<string, unknown>;
}

export function TrialChart({ farmId, found, devices, rule }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const { from, to } = found;
  const ticks = (to - from > DAY_MS ? [0, 1, 2] : [0, 1, 2, 3]).map((nth, _, all) => {
    const at = from + ((nth + 0.5) / all.length) * (to - from);
    return {
      at,
      text: to - from > DAY_MS ? format.dayOfMonth(format.isoDay(new Date(at))) : format.time(new Date(at)),
    };
  });
  return (
    <figure className={classes['trialChart']} data-trial-chart>
      <Signal farmId={farmId} rule={rule} from={from} to={to} />
      {devices.slice(0, MOST_DEVICES).map((device, nth, shown) => {
        const was = found.was.devices.find(({ id }) => id === device.id);
        const last = nth === shown.length - 1;
        return (
          <section key={device.id}>
            <p>{device.name || device.id}</p>
            <Strip of={device} what="wouldBe" from={from} to={to} ticks={NO_TICKS} />
            <Strip of={was} what="wasSo" from={from} to={to} ticks={last ? ticks : NO_TICKS} />
          </section>
        );
      })}
      <figcaption>
        {t('explained.chart', { from: format.dayTime(new Date(from)), to: format.dayTime(new Date(to)) })}
        {devices.length > MOST_DEVICES &&
          ` ${t('explained.chartMore', { count: devices.length - MOST_DEVICES, number: format.count(devices.length - MOST_DEVICES) })}`}
      </figcaption>
    </figure>
  );
}

interface StripProps {
  of: Device | undefined;
  what: 'wouldBe' | 'wasSo';
  from: number;
  to: number;
  ticks: readonly { at: number; text: string }[];
}

function Strip({ of, what, from, to, ticks }: StripProps) {
  const { t } = useTranslation();
  const words = useDomain();
  const lasted = words.duration(Math.round((of?.on_ms ?? 0) / 60_000) * 60);
  return (
    <div className={classes['trialStrip']} data-run={what}>
      <span>{t(`explained.${what}`)}</span>
      <StateStrip
        stretches={stretches(of, from, to)}
        from={from}
        to={to}
        ticks={ticks}
        label={t('explained.stripLabel', {
          what: t(`explained.${what}`),
          name: of?.name ?? '',
          time: lasted,
        })}
      />
    </div>
  );
}

/** Off wherever it was not on; of what is not listed any more nothing is said. */
function stretches(of: Device | undefined, from: number, to: number): Stretch[] {
  const on = (of?.intervals ?? []).map(([begin = from, end = to]) => ({
    from: begin,
    to: end,
    on: true,
    level: 1,
  }));
  const known = of?.more ? (on.at(-1)?.to ?? from) : to;
  return [{ from, to: known, on: false, level: 0 }, ...on];
}

/** What the rule looks at, where that is one signal. */
function Signal({ farmId, rule, from, to }: Omit<Props, 'found' | 'devices'> & { from: number; to: number }) {
  const { t } = useTranslation();
  const words = useDomain();
  const signal = signalOf(rule);
  const { data } = useQuery(trialSignalQuery(farmId, signal, from, to));
  const points = data?.quantities[0]?.points ?? [];
  if (!signal || points.length < 2) return null;
  const means = points.map(({ mean }) => mean);
  const told = (value: number) => words.glance(signal.type, value);
  return (
    <div className={classes['trialStrip']}>
      <span>
        {t('explained.signal', {
          name: words.quantity(signal.type),
          low: told(Math.min(...means)),
          high: told(Math.max(...means)),
        })}
      </span>
      <LineDrawing
        points={points.map(({ at, mean }) => ({ x: at, y: mean }))}
        from={from}
        to={to}
        stretched
      />
    </div>
  );
}
