// The devices by place, with a search and filters that keep a hundred of them usable.
import { Button, NativeSelect } from '@mantine/core';
import { type ReactNode, useDeferredValue, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { type DisplayStatus, displayStatus, type PlaceNames, useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { type Device, statuses } from '../../screen/device';
import { FEW, ListFilters } from '../../screen/ListFilters';
import classes from './Control.module.css';
import { everything, type Filter, grouped, type Named } from './filter';

interface Props {
  devices: readonly Device[];
  polyhouses: PlaceNames | undefined;
  filter: Filter;
  onFilter: (filter: Filter) => void;
  card: (device: Device, path: readonly string[]) => ReactNode;
}

export function DeviceList({ devices, polyhouses, filter, onFilter, card }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const id = useId();
  const named = devices.map((device) => ({
    device,
    path: words.placeNames(device.scope, polyhouses),
    kind: words.device(device.type),
  }));
  // Typing goes first, also with a hundred devices on a slow phone.
  const groups = grouped(named, useDeferredValue(filter), format.compare);
  const shown = groups.reduce((sum, { devices: some }) => sum + some.length, 0);
  const set = (change: Partial<Filter>) => onFilter({ ...filter, ...change });
  return (
    <>
      {devices.length > FEW && (
        <ListFilters
          label={t('control.search')}
          text={filter.text}
          onText={(text) => set({ text })}
          places={placesOf(named, format.compare)}
          place={filter.place}
          onPlace={(place) => set({ place })}
          count={t('control.count', { shown: format.count(shown), all: format.count(devices.length) })}
        >
          <NativeSelect
            aria-label={t('control.state')}
            value={filter.status}
            onChange={(event) => set({ status: event.currentTarget.value as DisplayStatus | '' })}
            data={[
              { value: '', label: t('control.anyState') },
              ...statuses.map((value) => ({
                value,
                label: t('control.stateCount', {
                  state: words.status(value),
                  number: format.count(devices.filter((device) => displayStatus(device) === value).length),
                }),
              })),
            ]}
          />
        </ListFilters>
      )}
      {shown === 0 && (
        <div className={classes['nothing']}>
          <p>{t('control.nothingFound')}</p>
          <Button variant="default" onClick={() => onFilter(everything)}>
            {t('control.clear')}
          </Button>
        </div>
      )}
      {groups.map(({ place, devices: some }, index) => (
        <section key={place} aria-labelledby={`${id}-${index}`}>
          <h2 id={`${id}-${index}`} className={classes['place']}>
            {place}
          </h2>
          <ul className={classes['cards']}>{some.map(({ device, path }) => card(device, path))}</ul>
        </section>
      ))}
    </>
  );
}

/** The polyhouses that have devices, and the whole farm if it has any of its own. */
function placesOf(named: readonly Named[], compare: (a: string, b: string) => number): string[] {
  return [...new Set(named.map(({ path: [place = ''] }) => place))].sort(compare);
}
