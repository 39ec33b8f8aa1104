// What explains the instant that is read, of a whole house: every device that somebody wanted something of, and why.
import { useTranslation } from 'react-i18next';
import { lanesPath } from '../../screen/DayLink';
import { Ladder } from '../../screen/explained/parts';
import { Unfolding } from '../../screen/explained/Unfolding';
import { Link } from '../../screen/Link';
import day from './Day.module.css';
import { houseLanes } from './house-lanes';
import { useSaying } from './LaneRows';
import classes from './Lanes.module.css';
import { type Lanes, laneAt } from './lanes';
import { RunMark } from './RunMark';

interface Props {
  farmId: string;
  lanes: Lanes;
  /** The instant; none is now. */
  at: number | undefined;
  /** The instant as it stands in addresses. */
  instant: number;
}

export function HouseCard({ farmId, lanes, at, instant }: Props) {
  const { t } = useTranslation();
  const saying = useSaying(farmId);
  const window = { from: instant, to: instant + 1 };
  const wanted = houseLanes(lanes).devices.flatMap((device) => {
    const span = device.decides && laneAt(device.decides, lanes, instant, window);
    const is = typeof span === 'object' && span.state !== 'rest';
    return is && device.decides ? [{ ...device, who: device.decides }] : [];
  });
  if (wanted.length === 0) return <p className={day['note']}>{t('day.lanes.restAll')}</p>;
  return (
    <ul className={classes['wanted']}>
      {wanted.map(({ id, name, who, effect }) => (
        <li key={id} data-wanted={id}>
          <p>
            <Link to={lanesPath({ device: id }, instant)}>{name}</Link>
            {' — '}
            {saying(who, lanes, instant, window).word}
          </p>
          {effect && <RunMark lane={effect} lanes={lanes} at={instant} />}
          <Unfolding key={`${id} ${at}`} title={t('day.lanes.why')}>
            <Ladder farmId={farmId} deviceId={id} {...(at !== undefined && { at })} />
          </Unfolding>
        </li>
      ))}
    </ul>
  );
}
