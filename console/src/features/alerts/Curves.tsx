// How what an incident is about went, some hours around the time when it was raised, with its limit.
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type SensorTypeName, useDomain } from '../../i18n/domain';
import { failedLoad } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { DayLink, DecidedLink } from '../../screen/DayLink';
import { quantityColour } from '../../screen/quantity';
import { Banner } from '../../ui/Banner';
import { Chart } from '../../ui/Chart';
import { coarser, timeTicks } from '../../ui/chart-scale';
import { Panel } from '../../ui/Panel';
import classes from './Incident.module.css';
import { curveQuery, curveWindow, type Incident, quantitiesOf } from './incident';
import { useLimitText } from './words';

const HOUR = 3_600_000;
/** Rows of the table that stands in for the drawing. */
const TABLE_ROWS = 24;

export function Curves({ farmId, incident }: { farmId: string; incident: Incident }) {
  return quantitiesOf(incident).map((type) => (
    <Curve key={type} farmId={farmId} incident={incident} type={type} />
  ));
}

interface Props {
  farmId: string;
  incident: Incident;
  type: SensorTypeName;
}

function Curve({ farmId, incident, type }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const limitText = useLimitText();
  const query = useQuery(curveQuery(farmId, incident, type));
  const { raisedAt, overAt } = incident;
  const past = query.data;
  const points = past?.quantities.find((quantity) => quantity.type === type)?.points ?? [];
  const step = (past?.stepSec ?? 60) * 1_000;
  const { from, to } = past ?? curveWindow(raisedAt, overAt, Date.now());
  const thresholds = useMemo(
    () =>
      incident.conditions
        .filter((condition) => condition.sensorType === type && condition.limit !== null)
        .map((condition) => ({
          value: condition.limit ?? 0,
          label: limitText(condition),
          faint: false,
        })),
    [incident.conditions, limitText, type],
  );
  const amount = (value: number) => words.amount(type, value);
  const known = points.flatMap(({ min, max }) => (min === null || max === null ? [] : [min, max]));
  const action = <DayLink place={incident.place} at={raisedAt} />;
  return (
    <Panel title={words.quantity(type)} action={action}>
      {query.isError && <Banner {...failedLoad(t, query, t('incident.curveFailed'))} />}
      {query.isPending && <Skeleton height={240} radius="md" aria-hidden />}
      {past && known.length === 0 && <p className={classes['quiet']}>{t('incident.noCurve')}</p>}
      {past && known.length > 0 && (
        <Chart
          points={points}
          stepMs={step}
          from={from}
          to={to}
          ink={quantityColour(type)}
          thresholds={thresholds}
          timeTicks={timeTicks(from, to, to - from > 5 * HOUR ? 2 * HOUR : HOUR, format.offset(new Date(to)))}
          valueText={amount}
          tickText={format.reading}
          timeTickText={(instant) => format.hour(new Date(instant))}
          timeText={(instant) => format.dateTime(new Date(instant))}
          rows={coarser(points, from, to, step, TABLE_ROWS)}
          picked={(at) => <DecidedLink place={incident.place} at={at} />}
          labels={{
            summary: t('incident.curve', {
              from: format.clock(new Date(from)),
              to: format.clock(new Date(to)),
              lowest: amount(Math.min(...known)),
              highest: amount(Math.max(...known)),
              raised: format.clock(new Date(raisedAt)),
            }),
            time: t('history.time'),
            mean: t('history.mean'),
            min: t('history.lowest'),
            max: t('history.highest'),
            table: t('history.table'),
            none: t('history.noReading'),
          }}
        />
      )}
    </Panel>
  );
}
