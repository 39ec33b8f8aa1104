// The devices: those that run, that a person has or that are in trouble first, the others in a line each by place. A search and
// filters keep a hundred of them usable.
import { Button, NativeSelect } from '@mantine/core';
import { type ReactNode, useDeferredValue, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type DisplayStatus, displayStatus, type PlaceNames, useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { type Device, statuses } from '../../screen/device';
import { FEW, ListFilters } from '../../screen/ListFilters';
import classes from './Control.module.css';
import { everything, type Filter, grouped, isBusy, matching, type Named, ranked } from './filter';

interface Props {
  devices: readonly Device[];
  polyhouses: PlaceNames | undefined;
  filter: Filter;
  onFilter: (filter: Filter) => void;
  /** A device as a card, or in a line; under a heading that names its place or under none. */
  card: (device: Device, place: string, isRow: boolean) => ReactNode;
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
  const sought = useDeferredValue(filter);
  // What was first stays where it is as long as one looks, and what comes is below it: nothing moves away under a finger, nor with an
  // open question.
  const [kept] = useState(() => new Set<string>());
  const isFirst = ({ device }: Named) => kept.has(device.id);
  const come = named.filter((each) => isBusy(each.device) && !isFirst(each));
  for (const { device } of ranked(come, format.compare)) kept.add(device.id);
  const order = [...kept];
  const first = matching(named.filter(isFirst), sought).sort(
    (a, b) => order.indexOf(a.device.id) - order.indexOf(b.device.id),
  );
  const groups = grouped(
    named.filter((each) => !isFirst(each)),
    sought,
    format.compare,
  );
  const shown = groups.reduce((sum, { devices: some }) => sum + some.length, first.length);
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
      {first.length > 0 && (
        <section aria-labelledby={`${id}-busy`}>
          <h2 id={`${id}-busy`} className={classes['place']}>
            {t('control.busy')}
          </h2>
          <ul className={classes['cards']}>
            {first.map(({ device, path }) => card(device, path.join(' · '), false))}
          </ul>
        </section>
      )}
      {groups.map(({ place, devices: some }, index) => (
        <section key={place} aria-labelledby={`${id}-${index}`}>
          <h2 id={`${id}-${index}`} className={classes['place']}>
            {place}
          </h2>
          <ul className={classes['rows']}>
            {some.map(({ device, path }) => card(device, path.slice(1).join(' · '), true))}
          </ul>
        </section>
      ))}
    </>
  );
}

/** The polyhouses that have devices, and the whole farm if it has any of its own. */
function placesOf(named: readonly Named[], compare: (a: string, b: string) => number): string[] {
  return [...new Set(named.map(({ path: [place = ''] }) => place))].sort(compare);
}
