// What each device did, house by house; what was off or not known all the time is named together.

import { dayPath } from '../../screen/DayLink';
import { Link } from '../../screen/Link';
import { Panel } from '../../ui/Panel';
import classes from './Letter.module.css';
import { type Line, Lines } from './Lines';
import type { Schemas } from './queries';
import { useWords, type Words } from './useWords';

type Device = Schemas['LetterDevice'];

/** In seconds. */
const MINUTE = 60;

/** The name, with its place where another of the house has the same. */
function named({ name, scope }: Device, among: readonly Device[], words: Words): string {
  const isAlone = among.filter((other) => other.name === name).length === 1;
  const place = words.domain.placeNames(scope).at(-1);
  return isAlone || !place ? name : `${name}, ${place}`;
}

/** Who wanted it on: for how long each, and nobody's time where the whole is said already. */
function causes({ unknownSec, byRuleSec, byHandSec, otherwiseSec }: Device, { t, length }: Words): string[] {
  const all = (
    [
      ['byRule', 'onlyRule', byRuleSec],
      ['byPerson', 'onlyPerson', byHandSec],
      ['otherwise', 'onlyOtherwise', otherwiseSec],
    ] as const
  ).filter(([, , seconds]) => seconds > 0);
  const isWhole = all.length === 1 && unknownSec === 0;
  return all.map(([part, whole, seconds]) =>
    isWhole ? t(`letter.devices.${whole}`) : t(`letter.devices.${part}`, { duration: length(seconds) }),
  );
}

/** How often it went on and its longest run; of a single one when that was. */
function runs({ onSec, unknownSec, starts, longest }: Device, { t, length, clock, span, count }: Words) {
  const seconds = longest ? Math.floor((longest.until - longest.from) / 1_000) : 0;
  const isSingle = unknownSec === 0 && (starts ?? 0) <= 1 && seconds === onSec;
  // Within a minute both its ends are the same on the clock.
  const isShort = seconds < MINUTE;
  const time = longest ? clock(longest.from) : '';
  if (longest && isSingle)
    return { first: isShort ? t('letter.devices.at', { time }) : t('letter.devices.during', span(longest)) };
  return {
    first: starts !== null && starts > 0 && t('letter.devices.starts', count(starts)),
    last:
      longest &&
      (isShort
        ? t('letter.devices.longestAt', { duration: length(seconds), time })
        : t('letter.devices.longest', span(longest))),
  };
}

/** `together`: for how long nothing is known of any of its house, which is said once. */
function deviceLine(device: Device, name: string, together: number, words: Words): Line {
  const { t, length, format } = words;
  const { onSec, unknownSec, longest, litres } = device;
  const duration = length(onSec ?? 0);
  const on =
    unknownSec > 0
      ? t('letter.devices.onAtLeast', { name, duration })
      : t('letter.devices.on', { name, duration });
  const { first, last } = runs(device, words);
  return {
    id: device.id,
    text: onSec === 0 ? t('letter.devices.offAsKnown', { name }) : on,
    parts: [
      first,
      ...causes(device, words),
      last,
      litres !== null && litres > 0 && t('letter.devices.litres', { value: format.tenth(litres) }),
      unknownSec > together && t('letter.unknownFor', { duration: length(unknownSec) }),
    ],
    to: longest ? dayPath(device.scope, longest.from) : undefined,
  };
}

function deviceLines(devices: readonly Device[], words: Words): Line[] {
  const { t, format, length } = words;
  const known = devices.filter(({ onSec }) => onSec !== null);
  const [first] = known;
  const areAlike = known.length > 1 && known.every(({ unknownSec }) => unknownSec === first?.unknownSec);
  const together = (areAlike && first?.unknownSec) || 0;
  const off = known.filter(({ onSec, unknownSec }) => onSec === 0 && unknownSec === 0);
  const unknown = devices.filter(({ onSec }) => onSec === null);
  const name = (device: Device) => named(device, devices, words);
  const names = (all: readonly Device[]) => format.list(all.map(name));
  return [
    ...known
      .filter((device) => !off.includes(device))
      .map((device) => deviceLine(device, name(device), together, words)),
    ...(off.length > 0 ? [{ id: 'off', text: t('letter.devices.off', { names: names(off) }) }] : []),
    ...(together > 0
      ? [{ id: 'together', text: t('letter.devices.together', { duration: length(together) }) }]
      : []),
    ...(unknown.length > 0
      ? [{ id: 'unknown', text: t('letter.devices.unknown', { names: names(unknown) }) }]
      : []),
  ];
}

interface Props {
  houses: readonly Schemas['LetterHouse'][];
  devices: readonly Device[];
}

export function Devices({ houses, devices }: Props) {
  const words = useWords();
  const { t, domain } = words;
  const shown = devices.filter(({ type }) => type !== 'sensor');
  const placed = new Set(shown.map(({ polyhouseId }) => polyhouseId));
  const groups = [...placed]
    .sort((a, b) => Number(a === null) - Number(b === null))
    .map((id) => ({ id, devices: shown.filter(({ polyhouseId }) => polyhouseId === id) }));
  const title = (id: string | null, [first]: readonly Device[]) =>
    id === null
      ? t('letter.sheet.wholeFarm')
      : (houses.find((house) => house.id === id)?.name ?? (first && domain.placeNames(first.scope)[0]));
  return (
    <Panel title={t('letter.devices.title')}>
      {groups.length === 0 && <Lines lines={[]} none={t('letter.devices.none')} />}
      {groups.map((group) => (
        <div key={group.id} className={classes['house']}>
          {(group.id !== null || groups.length > 1) && <h3>{title(group.id, group.devices)}</h3>}
          <Lines lines={deviceLines(group.devices, words)} />
        </div>
      ))}
      {shown.some(({ litres }) => litres !== null && litres > 0) && (
        <Link to="/reservoirs">{t('letter.devices.reservoirs')}</Link>
      )}
    </Panel>
  );
}
