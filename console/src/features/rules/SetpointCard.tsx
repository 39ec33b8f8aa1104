// One setpoint: what it is now, its day as a line, and the rules that it moves. A tap makes today's target a little more or less.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import Less from '~icon/Minus';
import More from '~icon/Plus';
import { api, ifMatch } from '../../api/client';
import { type PlaceNames, useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { EditDelete } from '../../screen/EditDelete';
import { useAction } from '../../screen/useAction';
import { useAsOf } from '../../ui/AsOf';
import { LineDrawing } from '../../ui/LineDrawing';
import type { Setpoint } from './queries';
import classes from './Setpoints.module.css';
import { shifted } from './setpoint-form';
import { useMoved } from './setpoint-words';
import { usualOf } from './usual';

interface Props {
  farmId: string;
  setpoint: Setpoint;
  houses: PlaceNames;
  writes: boolean;
  onEdit: () => void;
  onDelete: () => void;
}

export function SetpointCard({ farmId, setpoint, houses, writes, onEdit, onDelete }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const moved = useMoved();
  const { run, busy } = useAction(farmId);
  const isNow = useAsOf() === undefined;
  const { id, name, sensor_type: type, scope, value, next_change: next, today, stage, stages } = setpoint;
  const { step } = usualOf(type);
  const shift = (by: number) =>
    run({
      failed: t('rules.setpoint.saveFailed'),
      call: () =>
        api.PUT('/api/farms/{farmId}/setpoints/{setpointId}', {
          params: { path: { farmId, setpointId: id } },
          headers: ifMatch(setpoint),
          body: shifted(setpoint, by),
        }),
    });
  const [from, to] = [today[0]?.at, today.at(-1)?.at];
  const begun = stage === null ? undefined : stages[stage];
  return (
    <li className={classes['card']} data-setpoint={id}>
      <div className={classes['title']}>
        <h2>{name}</h2>
        {writes && <EditDelete name={name} onEdit={onEdit} onDelete={onDelete} />}
      </div>
      <p className={classes['soft']}>
        {t('rules.setpoint.of', { quantity: words.quantity(type), place: words.placePath(scope, houses) })}
      </p>
      <div className={classes['now']}>
        {writes && (
          <Button
            variant="default"
            disabled={busy || !isNow}
            aria-label={t('rules.setpoint.less', { name, by: words.amount(type, step) })}
            onClick={() => shift(-step)}
          >
            <Less size={22} aria-hidden />
          </Button>
        )}
        <span className={classes['numeral']}>
          {value === null ? t('rules.setpoint.unknown') : words.amount(type, value)}
        </span>
        {writes && (
          <Button
            variant="default"
            disabled={busy || !isNow}
            aria-label={t('rules.setpoint.more', { name, by: words.amount(type, step) })}
            onClick={() => shift(step)}
          >
            <More size={22} aria-hidden />
          </Button>
        )}
      </div>
      {from !== undefined && to !== undefined && (
        <>
          <LineDrawing
            points={today.map((corner) => ({ x: corner.at, y: corner.value }))}
            from={from}
            to={to}
            at={isNow ? Date.now() : undefined}
          />
          <p className={classes['ends']} aria-hidden>
            <span>{format.clock(new Date(from))}</span>
            <span>{format.clock(new Date(to))}</span>
          </p>
        </>
      )}
      {next !== null && (
        <p className={classes['soft']}>
          {t('rules.setpoint.next', { time: format.dayTime(new Date(next)) })}
        </p>
      )}
      {begun && (
        <p className={classes['soft']}>
          {t('rules.setpoint.stageSince', { date: format.shortDate(new Date(format.dayStart(begun.from))) })}
        </p>
      )}
      <p>{moved(setpoint)}</p>
    </li>
  );
}
