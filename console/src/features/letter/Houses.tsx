// The air of each house, and how long it was not as its crops wanted.
import { dayPath } from '../../screen/DayLink';
import { Panel } from '../../ui/Panel';
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

export function targetLines(house: House, words: Words): Line[] {
  const { t, domain, length, clock } = words;
  return house.targets.map((target) => {
    const { crop, zone, sensorType, min, max, firstAt } = target;
    const lasted = (key: 'above' | 'below' | 'within', seconds: number) =>
      seconds > 0 && t(`letter.house.${key}`, { duration: length(seconds) });
    return {
      id: `${zone} ${crop} ${sensorType}`,
      text: t('letter.house.wants', {
        crop,
        zone,
        quantity: domain.quantity(sensorType),
        min: domain.amount(sensorType, min),
        max: domain.amount(sensorType, max),
      }),
      parts: [
        lasted('above', target.aboveSec),
        lasted('below', target.belowSec),
        lasted('within', target.withinSec),
        target.unknownSec > 0 && t('letter.unknownFor', { duration: length(target.unknownSec) }),
        firstAt !== null && t('letter.house.missed', { time: clock(firstAt) }),
      ],
      to: firstAt === null ? undefined : at(house, firstAt),
    };
  });
}

export function Houses({ houses }: { houses: readonly House[] }) {
  const words = useWords();
  return houses.map((house) => (
    <Panel key={house.id} title={house.name}>
      <Lines lines={airLines(house, words)} />
      <Lines lines={targetLines(house, words)} none={words.t('letter.house.noTargets')} />
    </Panel>
  ));
}
