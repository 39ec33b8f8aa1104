// The lanes of a house: each device as one row with what it did, who decided, and what its runs came to. What did nothing in the time
// that is shown is folded.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import More from '~icon/ChevronDown';
import Less from '~icon/ChevronUp';
import { devicesQuery } from '../../api/queries';
import { useFormat } from '../../i18n/format';
import { lanesPath } from '../../screen/DayLink';
import { Link } from '../../screen/Link';
import { DeviceIcon } from '../../ui/icons/DeviceIcon';
import day from './Day.module.css';
import { type DeviceLanes, houseLanes, isIdle, isPlain } from './house-lanes';
import { Drawing, Row, useSaying, useValues } from './LaneRows';
import classes from './Lanes.module.css';
import type { Lane, Lanes } from './lanes';
import { useAt } from './Reading';
import type { Viewer } from './view';
import type { Window } from './window';

interface Props {
  farmId: string;
  viewer: Viewer;
  lanes: Lanes;
  nights: readonly Window[];
  /** What was shown when it last came to rest: what did nothing in it is folded. */
  window: Window;
}

export function HouseRows({ window, ...rest }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const { devices, rules, others } = houseLanes(rest.lanes);
  const busy = devices.filter((device) => !isIdle(device, window));
  const idle = devices.filter((device) => isIdle(device, window));
  const acted = rules.filter((rule) => !isPlain(rule, window));
  const waited = rules.filter((rule) => isPlain(rule, window));
  const happened = others.filter((lane) => lane.kind !== 'online' || !isPlain(lane, window));
  const count = (all: readonly unknown[]) => ({ count: all.length, number: format.count(all.length) });
  return (
    <>
      <Kind
        title={t('day.kinds.device')}
        folded={idle.length > 0 && t('day.lanes.idleDevices', count(idle))}
        more={idle.map((device) => <DeviceRow key={device.id} device={device} {...rest} />)}
      >
        {busy.map((device) => (
          <DeviceRow key={device.id} device={device} {...rest} />
        ))}
      </Kind>
      <Kind
        title={t('day.kinds.rule')}
        folded={waited.length > 0 && t('day.lanes.idleRules', count(waited))}
        more={waited.map((lane) => <RuleRow key={lane.key} lane={lane} {...rest} />)}
      >
        {acted.map((lane) => (
          <RuleRow key={lane.key} lane={lane} {...rest} />
        ))}
      </Kind>
      {happened.length > 0 && (
        <div className={day['kind']}>
          <ul>
            {happened.map((lane) => (
              <Happened key={lane.key} lane={lane} {...rest} />
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

interface KindProps {
  title: string;
  /** What is said of those that did nothing; false where there are none. */
  folded: string | false;
  more: ReactNode;
  children: ReactNode[];
}

function Kind({ title, folded, more, children }: KindProps) {
  const [open, setOpen] = useState(false);
  if (children.length === 0 && !folded) return null;
  return (
    <div className={day['kind']}>
      <h2>{title}</h2>
      <ul>
        {children}
        {open && more}
      </ul>
      {folded && (
        <Button
          variant="subtle"
          className={classes['folded'] ?? ''}
          leftSection={open ? <Less size={18} aria-hidden /> : <More size={18} aria-hidden />}
          aria-expanded={open}
          data-folded
          onClick={() => setOpen(!open)}
        >
          {folded}
        </Button>
      )}
    </div>
  );
}

type RowProps = Omit<Props, 'window'>;

function DeviceRow({ farmId, viewer, lanes, nights, device }: RowProps & { device: DeviceLanes }) {
  const { t } = useTranslation();
  const at = useAt(viewer);
  const saying = useSaying(farmId);
  const most = useValues(farmId)(device.id)?.most;
  const machine = useQuery(devicesQuery(farmId)).data?.find(({ id }) => id === device.id)?.type;
  const { window } = viewer.get();
  const [did, who, came] = [device.reported, device.decides, device.effect].map(
    (lane) => lane && saying(lane, lanes, at, window),
  );
  const drawn = { viewer, lanes, nights };
  return (
    <li
      className={classes['device']}
      data-device={device.id}
      data-state={did?.was ?? 'unknown'}
      data-decides={who?.was ?? 'unknown'}
    >
      <p>
        <span className={day['name']}>
          {machine && (
            <DeviceIcon
              kind={machine}
              does={did?.was === 'on' || did?.was === 'off' ? did.was : 'unknown'}
              size={26}
              still
            />
          )}
          <Link to={lanesPath({ device: device.id }, Math.round(at))}>{device.name}</Link>
        </span>
        <span className={`${day['was']} ${classes['was']}`}>
          <b>{did?.word ?? t('day.unknown')}</b>
          {who && ` · ${who.word}`}
          {came && came.was !== 'nothing' && ` · ${came.word}`}
        </span>
      </p>
      {device.reported && (
        <Drawing
          {...drawn}
          lane={device.reported}
          className={day['strip']}
          {...(most !== undefined && { most })}
        />
      )}
      {device.decides && <Drawing {...drawn} lane={device.decides} className={classes['thin']} />}
      {device.effect && <Drawing {...drawn} lane={device.effect} className={classes['thin']} />}
    </li>
  );
}

function RuleRow({ farmId, viewer, lanes, nights, lane }: RowProps & { lane: Lane }) {
  const at = useAt(viewer);
  const { word, was } = useSaying(farmId)(lane, lanes, at, viewer.get().window);
  return (
    <li data-rule={lane.of} data-state={was}>
      <p>
        <span className={day['name']}>
          <Link to={lanesPath({ rule: lane.of ?? '' }, Math.round(at))}>{lane.name}</Link>
        </span>
        <span className={`${day['was']} ${classes['was']}`}>{word}</span>
      </p>
      <Drawing viewer={viewer} lane={lane} lanes={lanes} nights={nights} className={day['strip']} />
    </li>
  );
}

function Happened({ viewer, ...rest }: RowProps & { lane: Lane }) {
  return <Row viewer={viewer} at={useAt(viewer)} {...rest} />;
}
