// Why a device is on, whole: since when, who or which rule switched it on and at which reading, what ends it, what is read
// now, and who else wants it.
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { keys } from '../api/keys';
import { useMay } from '../api/permissions';
import type { components } from '../api/schema';
import { type SensorTypeName, type ThingNames, useDomain } from '../i18n/domain';
import { useFormat } from '../i18n/format';
import { useRuleWords } from '../i18n/rule-words';
import { useWhen } from '../i18n/when';
import { Countdown } from './Countdown';
import { endOf, useWhy } from './causes';
import { LanesLink } from './DayLink';
import { type Device, holderOf, waitingRules } from './device';
import { Ladder } from './explained/parts';
import { Unfolding } from './explained/Unfolding';
import { Link } from './Link';
import { useNow } from './now';
import type { Rule } from './place';
import { scheduleOf, startWords, stopWords, thingNames } from './trigger';
import { useHolderText } from './useHolderText';
import classes from './Why.module.css';

type Hold = components['schemas']['Hold'];

export function Why({ farmId, device }: { farmId: string; device: Device }) {
  const { t } = useTranslation();
  const when = useWhen();
  const cache = useQueryClient();
  const reload = useCallback(
    () => void cache.invalidateQueries({ queryKey: keys.devices(farmId) }),
    [cache, farmId],
  );
  const { rule, rules, houses, devices, seen, reading } = useWhy(farmId, device);
  const known = { houses, names: thingNames(rules, devices) };
  const names = new Map(rules?.map(({ id, name }) => [id, name]));
  const holderText = useHolderText(names);
  const holder = holderOf(device);
  const waiting = waitingRules(device);
  const running = rule?.status.phase === 'running' ? rule.status : undefined;
  const since = device.on_since ?? running?.since;
  return (
    <>
      <dl className={classes['why']} data-why={device.id}>
        {device.state.on && since !== undefined && (
          <Row term={t('why.since')}>
            <strong>{when(since)}</strong>
          </Row>
        )}
        {rule ? (
          <>
            <Condition rule={rule} {...known} />
            {reading && (
              <Row term={t('why.then')}>
                <Mean type={reading.sensorType} value={reading.value} sensors={reading.sensors} />
              </Row>
            )}
            <End rule={rule} {...known} seen={seen} ending={running?.ending ?? undefined} />
            <Row term={t('why.rule')}>
              <RuleLink rule={rule.id} name={rule.name} />
            </Row>
          </>
        ) : (
          <Row term={t('control.who')}>
            {holder.by === 'person' ? (
              <>
                <strong>
                  {holder.until === null
                    ? holder.name
                    : t('why.whoUntil', { name: holder.name, time: when(holder.until) })}
                </strong>{' '}
                {holder.until !== null && <Countdown until={holder.until} onEnd={reload} />}
              </>
            ) : (
              <strong>{holderText(device)}</strong>
            )}
          </Row>
        )}
        {waiting.length > 0 && (
          <Row term={t('why.also')}>
            {waiting.map((id) => (
              <RuleLink key={id} rule={id} name={names.get(id) ?? id} />
            ))}
          </Row>
        )}
      </dl>
      <Unfolding title={t('why.explained.ladder')}>
        <Ladder farmId={farmId} deviceId={device.id} />
      </Unfolding>
      <LanesLink of={{ device: device.id }} />
    </>
  );
}

interface PartProps {
  rule: Rule;
  houses: ReturnType<typeof useWhy>['houses'];
  names: ThingNames;
}

/** What started the rule. */
function Condition({ rule, houses, names }: PartProps) {
  const { t } = useTranslation();
  const words = useRuleWords();
  return <Row term={t('why.trigger')}>{words.partSentence(startWords(rule), names, houses)}</Row>;
}

/** What ends it, and what is seen of that now. */
function End({
  rule,
  houses,
  names,
  seen,
  ending,
}: PartProps & {
  seen: ReturnType<typeof useWhy>['seen'];
  ending: Hold | undefined;
}) {
  const { t } = useTranslation();
  const words = useRuleWords();
  const when = useWhen();
  const { condition, sight } = endOf(rule, seen);
  const stop = stopWords(rule);
  const clock = scheduleOf(rule.trigger) !== undefined;
  return (
    <>
      <Row term={t('why.stop')}>
        {stop && words.partSentence(stop, names, houses)}
        {!stop && !clock && t('why.cleared')}
        {!stop && clock && t('why.runOver', { duration: words.duration(rule.run_sec ?? Number.NaN) })}
      </Row>
      {rule.run_until !== null && rule.run_until !== undefined && (
        <Row term={t('why.latest')}>
          <strong>{when(rule.run_until)}</strong>
        </Row>
      )}
      {sight && condition && (
        <Row term={t('why.nowTitle')}>
          {sight.value === null ? (
            <strong>{t('verdict.word.not_known')}</strong>
          ) : (
            <Mean type={condition.sensor_type} value={sight.value} sensors={sight.fresh} />
          )}{' '}
          {ending && <Ending hold={ending} />}
        </Row>
      )}
    </>
  );
}

/** How far the hold on what ends the rule has come. */
function Ending({ hold }: { hold: Hold }) {
  const { t } = useTranslation();
  const words = useDomain();
  const total = hold.length / 1_000;
  const elapsed = Math.min(Math.max((useNow() - hold.hold_since) / 1_000, 0), total);
  return <small>{t('why.ending', { progress: words.progress(elapsed, total) })}</small>;
}

function Mean({ type, value, sensors }: { type: SensorTypeName; value: number; sensors: number }) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  return (
    <strong>
      {t('why.thenOf', { count: sensors, value: words.amount(type, value), number: format.count(sensors) })}
    </strong>
  );
}

function RuleLink({ rule, name }: { rule: string; name: string }) {
  const may = useMay();
  const to = may('rules:write') ? `/automation/rules?edit=${encodeURIComponent(rule)}` : '/automation/rules';
  return <Link to={to}>{name}</Link>;
}

function Row({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}
