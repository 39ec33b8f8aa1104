// What each device did; what was off or not known all the time is named together.

import { dayPath } from '../../screen/DayLink';
import { Link } from '../../screen/Link';
import { Panel } from '../../ui/Panel';
import { type Line, Lines } from './Lines';
import type { Schemas } from './queries';
import { useWords, type Words } from './useWords';

type Device = Schemas['LetterDevice'];

/** The name, with the house where it has one. */
function named(device: Device, words: Words): string {
  const [place] = words.domain.placeNames(device.scope);
  return device.polyhouseId === null || !place
    ? device.name
    : `${device.name}, ${device.scope.path ?? place}`;
}

function deviceLine(device: Device, words: Words): Line {
  const { t, length, format, span, count } = words;
  const { onSec, unknownSec, starts, byRuleSec, byHandSec, otherwiseSec, longest, litres } = device;
  const name = named(device, words);
  const duration = length(onSec ?? 0);
  const lasted = (key: 'byRule' | 'byPerson' | 'otherwise', seconds: number) =>
    seconds > 0 && t(`letter.devices.${key}`, { duration: length(seconds) });
  const on =
    unknownSec > 0
      ? t('letter.devices.onAtLeast', { name, duration })
      : t('letter.devices.on', { name, duration });
  return {
    id: device.id,
    text: onSec === 0 ? t('letter.devices.offAsKnown', { name }) : on,
    parts: [
      starts !== null && starts > 0 && t('letter.devices.starts', count(starts)),
      lasted('byRule', byRuleSec),
      lasted('byPerson', byHandSec),
      lasted('otherwise', otherwiseSec),
      longest && t('letter.devices.longest', span(longest)),
      litres !== null && litres > 0 && t('letter.devices.litres', { value: format.tenth(litres) }),
      unknownSec > 0 && t('letter.unknownFor', { duration: length(unknownSec) }),
    ],
    to: longest ? dayPath(device.scope, longest.from) : undefined,
  };
}

export function deviceLines(devices: readonly Device[], words: Words): Line[] {
  const { t, format } = words;
  const known = devices.filter(({ onSec }) => onSec !== null);
  const off = known.filter(({ onSec, unknownSec }) => onSec === 0 && unknownSec === 0);
  const unknown = devices.filter(({ onSec }) => onSec === null);
  const names = (all: readonly Device[]) => format.list(all.map((device) => named(device, words)));
  return [
    ...known.filter((device) => !off.includes(device)).map((device) => deviceLine(device, words)),
    ...(off.length > 0 ? [{ id: 'off', text: t('letter.devices.off', { names: names(off) }) }] : []),
    ...(unknown.length > 0
      ? [{ id: 'unknown', text: t('letter.devices.unknown', { names: names(unknown) }) }]
      : []),
  ];
}

export function Devices({ devices }: { devices: readonly Device[] }) {
  const words = useWords();
  return (
    <Panel title={words.t('letter.devices.title')}>
      <Lines
        lines={deviceLines(
          devices.filter(({ type }) => type !== 'sensor'),
          words,
        )}
        none={words.t('letter.devices.none')}
      />
      {devices.some(({ litres }) => litres !== null && litres > 0) && (
        <Link to="/reservoirs">{words.t('letter.devices.reservoirs')}</Link>
      )}
    </Panel>
  );
}
