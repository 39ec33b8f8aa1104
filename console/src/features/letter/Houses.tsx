// The air of each house, and how long it was not as its crops wanted.
import { dayPath } from '../../screen/DayLink';
import { Panel } from '../../ui/Panel';
import classes from './Letter.module.css';
import { type Line, Lines } from './Lines';
import type { Schemas } from './queries';
import { useWords, type Words } from './useWords';

type House = Schemas['LetterHouse'];

/** The way to the day of a house at an instant. */
function at(house: House, instant: number): string {
  return dayPath({ type: 'polyhouse', polyhouseId: house.id }, instant);
}

export function airLines(house: House, words: Words): Line[] {
  const { t, celsius, hours, clock, length, kilopascal } = words;
  const { hottest, coldest, highest, lowest, unknownSec, deficit } = house;
  if (unknownSec === null) return [{ id: 'none', text: t('letter.house.noSensor') }];
  if (!highest && !hottest) return [{ id: 'none', text: t('letter.house.noReading') }];
  const lines: Line[] = [];
  if (hottest)
    lines.push({
      id: 'hottest',
      text: t('letter.house.hottest', { ...hours(hottest), value: celsius(hottest.mean) }),
      parts: [
        highest && t('letter.house.highest', { value: celsius(highest.value), time: clock(highest.at) }),
      ],
      to: at(house, highest?.at ?? hottest.from),
    });
  if (coldest)
    lines.push({
      id: 'coldest',
      text: t('letter.house.coldest', { ...hours(coldest), value: celsius(coldest.mean) }),
      parts: [lowest && t('letter.house.lowest', { value: celsius(lowest.value), time: clock(lowest.at) })],
      to: at(house, lowest?.at ?? coldest.from),
    });
  if (!hottest) lines.push({ id: 'no-hour', text: t('letter.house.noHour') });
  if (deficit)
    lines.push({
      id: 'vpd',
      text: t('letter.house.deficit', { value: kilopascal(deficit.mean) }),
      parts: [
        deficit.highest &&
          t('letter.house.deficitHighest', {
            ...hours(deficit.highest),
            value: kilopascal(deficit.highest.mean),
          }),
      ],
      to: deficit.highest ? at(house, deficit.highest.from) : undefined,
    });
  if (unknownSec > 0)
    lines.push({
      id: 'unknown',
      text: t('letter.house.unknownFor', { duration: length(unknownSec) }),
    });
  return lines;
}

type Target = House['targets'][number];

function targetLine(house: House, target: Target, words: Words): Line {
  const { t, length, clock } = words;
  const { crop, zone, sensorType, firstAt } = target;
  const lasted = (key: 'above' | 'below' | 'within', seconds: number) =>
    seconds > 0 && t(`letter.house.${key}`, { duration: length(seconds) });
  return {
    id: `${zone} ${crop} ${sensorType}`,
    text: t('letter.house.wants', { crop, zone, target: wanted(target, words) }),
    isBad: isMissed(target),
    parts: [
      lasted('above', target.aboveSec),
      lasted('below', target.belowSec),
      lasted('within', target.withinSec),
      target.unknownSec > 0 && t('letter.unknownFor', { duration: length(target.unknownSec) }),
      firstAt !== null && t('letter.house.missed', { time: clock(firstAt) }),
    ],
    to: firstAt === null ? undefined : at(house, firstAt),
  };
}

const isMissed = ({ aboveSec, belowSec }: Target) => aboveSec > 0 || belowSec > 0;
const isFine = (target: Target) => !isMissed(target) && target.withinSec > 0;

/** "Temperature 11 to 34 °C". */
function wanted({ sensorType, min, max }: Target, { t, domain, range }: Words): string {
  return t('letter.house.target', {
    quantity: domain.quantity(sensorType),
    range: range(sensorType, min, max),
  });
}

/** What a crop had as it wanted, and as long, in one line; first what is not known all the time. */
function fineLines(targets: readonly Target[], words: Words): Line[] {
  const { t, format, length } = words;
  const crops = new Map<string, [Target, ...Target[]]>();
  for (const target of targets) {
    const crop = `${target.zone} ${target.crop} ${target.withinSec} ${target.unknownSec}`;
    const known = crops.get(crop);
    if (known) known.push(target);
    else crops.set(crop, [target]);
  }
  const sorted = [...crops].sort(([, [a]], [, [b]]) => Number(b.unknownSec > 0) - Number(a.unknownSec > 0));
  return sorted.map(([id, together]) => {
    const [{ crop, zone, withinSec, unknownSec }] = together;
    return {
      id,
      text: t('letter.house.crop', { crop, zone }),
      parts: [
        t('letter.house.asWanted', {
          targets: format.list(together.map((target) => wanted(target, words))),
          duration: length(withinSec),
        }),
        unknownSec > 0 && t('letter.unknownFor', { duration: length(unknownSec) }),
      ],
    };
  });
}

/** First what was missed, then the air, then what is not known at all or was as wanted. */
function Parts({ house }: { house: House }) {
  const words = useWords();
  const { targets } = house;
  const lines = (of: readonly Target[]) => of.map((target) => targetLine(house, target, words));
  const rest = targets.filter((target) => !isMissed(target));
  return (
    <>
      <Lines lines={lines(targets.filter(isMissed))} />
      <Lines lines={airLines(house, words)} />
      <Lines
        lines={[...lines(rest.filter((target) => !isFine(target))), ...fineLines(rest.filter(isFine), words)]}
      />
      {targets.length === 0 && <p className={classes['none']}>{words.t('letter.house.noTargets')}</p>}
    </>
  );
}

export function Houses({ houses }: { houses: readonly House[] }) {
  return houses.map((house) => (
    <Panel key={house.id} title={house.name}>
      <Parts house={house} />
    </Panel>
  ));
}
