// What a device did, and who made it do so.
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { components } from '../../api/schema';
import { actionSpecs, useDomain } from '../../i18n/domain';
import { failedLoad } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { lanesPath } from '../../screen/DayLink';
import { useEffectWords } from '../../screen/effects/useEffectWords';
import { LedgerLink } from '../../screen/LedgerLink';
import { Link } from '../../screen/Link';
import { useCauseText } from '../../screen/useCauseText';
import { Banner } from '../../ui/Banner';
import chartClasses from '../../ui/Chart.module.css';
import { timeTicks } from '../../ui/chart-scale';
import { Panel } from '../../ui/Panel';
import { StatePill } from '../../ui/StatePill';
import { StateStrip, type Stretch } from '../../ui/StateStrip';
import classes from './History.module.css';
import { Incomplete } from './Incomplete';
import { deviceHistoryQuery, runEffectsQuery } from './queries';
import { looks, type Span } from './span';

type Device = components['schemas']['Device'];
type Segment = components['schemas']['DeviceSegment'];

/** The latest times on that the table lists; the log has them all. */
const MOST_ROWS = 50;

const MINUTE = 60_000;

/** How much of the time between two instants some segments cover. */
function lengthOf(segments: readonly Segment[], from: number, to: number): number {
  return segments.reduce(
    (sum, { at, until }) => sum + Math.max(0, Math.min(until ?? to, to) - Math.max(at, from)),
    0,
  );
}

export function DevicePast({ farmId, device, span }: { farmId: string; device: Device; span: Span }) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const history = useQuery(deviceHistoryQuery(farmId, device.id, span));
  const effects = useQuery(runEffectsQuery(farmId, device.id, span)).data?.marks;
  const isMarked = effects !== undefined && effects.length > 0;
  const effectWords = useEffectWords();
  const why = useCauseText();
  const valued = device.supportedActions.find(({ action }) => {
    const { unit } = actionSpecs[action];
    return unit === 'percent' || unit === 'flow';
  });
  const most = valued ? (valued.maxValue ?? actionSpecs[valued.action].max) : undefined;
  const when = (at: number) => format.dateTime(new Date(at));
  const doing = ({ on, value }: Segment) => {
    if (!on) return t('history.off');
    return valued && value !== null && value > 0 ? words.actionAmount(valued.action, value) : t('history.on');
  };

  return (
    <Panel
      title={device.name}
      {...(history.data && { hint: t(history.data.reported ? 'history.reported' : 'history.told') })}
    >
      {history.isError && <Banner {...failedLoad(t, history, t('history.failed'))} />}
      {history.isPending && <Skeleton height={120} radius="md" aria-hidden />}
      {history.data?.incomplete && <Incomplete />}
      {history.data && past(history.data)}
      <LedgerLink farmId={farmId} device={device} />
    </Panel>
  );

  function past({ from, to, segments }: components['schemas']['DeviceHistory']) {
    if (segments.length === 0) return <p className={classes['quiet']}>{t('history.nothingKnown')}</p>;
    const { tick } = looks[span];
    const on = segments.filter((segment) => segment.on);
    const unknown = to - from - lengthOf(segments, from, to);
    const summary = [
      summaryOf(on, from, to),
      // What was not reported was perhaps on.
      unknown >= MINUTE &&
        t('history.unknownFor', { duration: words.duration(Math.round(unknown / MINUTE) * 60) }),
    ]
      .filter(Boolean)
      .join(' ');
    const stretches = segments.map(
      ({ at, until, on: isOn, value }): Stretch => ({
        from: at,
        to: until ?? to,
        on: isOn,
        level: most !== undefined && value !== null && value > 0 ? value / most : 1,
      }),
    );
    return (
      <figure className={chartClasses['figure']}>
        <StateStrip
          stretches={stretches}
          from={from}
          to={to}
          label={summary}
          ticks={timeTicks(from, to, tick, format.offset(new Date(to))).map((at) => ({
            at,
            text: tick < 24 * 3_600_000 ? format.hour(new Date(at)) : format.day(new Date(at)),
          }))}
        />
        <figcaption>{summary}</figcaption>
        <div className={chartClasses['foot']}>
          {on.length > 0 && (
            <details className={chartClasses['table']}>
              <summary>{t('history.timesOn')}</summary>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
              <section className={chartClasses['scroll']} tabIndex={0} aria-label={t('history.timesOn')}>
                <table>
                  <thead>
                    <tr>
                      <th scope="col">{t('history.since')}</th>
                      <th scope="col">{t('history.howLong')}</th>
                      <th scope="col">{t('history.what')}</th>
                      <th scope="col">{t('history.why')}</th>
                      {isMarked && <th scope="col">{t('effects.did')}</th>}
                    </tr>
                  </thead>
                  <tbody>
                    {on
                      .slice(-MOST_ROWS)
                      .reverse()
                      .map((segment) => (
                        <tr key={`${segment.at} ${segment.until}`}>
                          <th scope="row">
                            <Link to={lanesPath({ device: device.id }, segment.at)}>{when(segment.at)}</Link>
                          </th>
                          <td>{words.duration(Math.round(((segment.until ?? to) - segment.at) / 1_000))}</td>
                          <td>{doing(segment)}</td>
                          <td>{why(segment)}</td>
                          {isMarked && <td>{effectOf(segment)}</td>}
                        </tr>
                      ))}
                  </tbody>
                </table>
              </section>
            </details>
          )}
          <Link
            className={classes['link'] ?? ''}
            to={`/automation/logs?device=${encodeURIComponent(device.name)}`}
          >
            {t('history.log')}
          </Link>
        </div>
      </figure>
    );
  }

  function summaryOf(on: readonly Segment[], from: number, to: number): string {
    if (on.length === 0) return t('history.neverOn');
    const ms = lengthOf(on, from, to);
    const holes = {
      count: on.length,
      number: format.count(on.length),
      duration: words.duration(Math.round(ms / 1_000)),
    };
    return t('history.onFor', holes);
  }

  /** What the run that began then came to. */
  function effectOf({ at }: Segment) {
    const effect = effects?.find(({ started_at }) => started_at === at);
    if (!effect) return null;
    return (
      <>
        <StatePill tone={effectWords.tone(effect)} word={effectWords.word(effect)} />{' '}
        <small>{effectWords.detail(effect)}</small>
      </>
    );
  }
}
