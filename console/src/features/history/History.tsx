// What was measured in a place, or around a device, over the last hours or days. What is shown stands in the address:
// `polyhouse`, `zone` or `device` (nothing: the whole farm), `span`, and `type` for a single quantity.
import { NativeSelect, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { useMay } from '../../api/permissions';
import { devicesQuery, polyhousesQuery, rulePlacesQuery, rulesQuery } from '../../api/queries';
import { type Place, type PlaceNames, samePlace, useDomain } from '../../i18n/domain';
import { failedLoad, failedOf } from '../../i18n/failure';
import { choiceOf as scopeChoice } from '../../screen/condition/places';
import { useDerivedSensors } from '../../screen/DerivedMark';
import { limitsOf, together } from '../../screen/place';
import { ToFirstHour } from '../../screen/ToFirstHour';
import { Banner } from '../../ui/Banner';
import { Empty } from '../../ui/Empty';
import { InPieces } from '../../ui/InPieces';
import { DevicePast } from './DevicePast';
import classes from './History.module.css';
import { QuantityChart } from './QuantityChart';
import { placeHistoryQuery } from './queries';
import { asSpan, spans } from './span';

const NONE: never[] = [];

export default function History({ farmId }: { farmId: string }) {
  const { t } = useTranslation();
  const words = useDomain();
  const [search, setSearch] = useSearchParams();
  const span = asSpan(search.get('span'));
  const deviceId = search.get('device');
  const polyhouses = useQuery(polyhousesQuery(farmId));
  const rules = useQuery(rulesQuery(farmId)).data ?? NONE;
  const seen = useQuery(rulePlacesQuery(farmId)).data ?? NONE;
  const allDevices = useQuery(devicesQuery(farmId));
  const devices = allDevices.data ?? NONE;
  const derived = useDerivedSensors(farmId);
  const device = devices.find(({ id }) => id === deviceId);
  const houses = polyhouses.data ?? NONE;
  const place = useMemo(() => device?.scope ?? placeOf(search), [device?.scope, search]);

  // Asked once it is known what is looked at: a device's place.
  const history = useQuery({
    ...placeHistoryQuery(farmId, place, span),
    enabled: !deviceId || !allDevices.isPending,
  });
  /** Around a device, also what is measured not in its zone but in its polyhouse, and so on. */
  const shown = useMemo(
    () =>
      (history.data?.quantities ?? NONE)
        .filter(({ scope }) => device || samePlace(scope, place))
        .map((quantity) => ({
          quantity,
          limits: together(limitsOf(rules, seen, quantity.type, quantity.scope, houses)),
        })),
    [history.data, houses, rules, seen, place, device],
  );
  const type = shown.find(({ quantity }) => quantity.type === search.get('type'))?.quantity.type;
  const makesRules = useMay()('rules:write');
  const failed = failedOf([polyhouses, history]);

  const change = (name: string, value: string) => {
    const next = new URLSearchParams(search);
    if (value === '') next.delete(name);
    else next.set(name, value);
    return next;
  };
  const toPlace = (value: string) => {
    const next = new URLSearchParams(search);
    for (const name of ['polyhouse', 'zone', 'device']) next.delete(name);
    const [kind = '', id = ''] = value.split(/:(.*)/s);
    if (kind !== 'farm') next.set(kind, id);
    setSearch(next);
  };

  return (
    <div className={classes['page']}>
      <h1>{t('history.title')}</h1>
      <div className={classes['choices']}>
        <NativeSelect
          label={t('history.place')}
          value={choiceOf(search)}
          onChange={(event) => toPlace(event.currentTarget.value)}
          data={[
            { value: 'farm:', label: words.placeKind('farm') },
            ...houses.flatMap((house) => [
              { value: `polyhouse:${house.id}`, label: house.name },
              ...house.zones.map((zone) => ({
                value: `zone:${zone.id}`,
                label: words.placePath({ type: 'zone', polyhouseId: house.id, zoneId: zone.id }, houses),
              })),
            ]),
            ...(device ? [{ value: `device:${device.id}`, label: device.name }] : []),
          ]}
        />
        <NativeSelect
          label={t('history.quantity')}
          value={type ?? ''}
          onChange={(event) => setSearch(change('type', event.currentTarget.value), { replace: true })}
          data={[
            { value: '', label: t('history.all') },
            ...shown.map(({ quantity }) => ({ value: quantity.type, label: words.quantity(quantity.type) })),
          ]}
        />
        <fieldset className={classes['spans']}>
          <legend>{t('history.span')}</legend>
          {spans.map((each) => (
            <label key={each}>
              <input
                type="radio"
                name="span"
                checked={span === each}
                onChange={() => setSearch(change('span', each), { replace: true })}
              />
              <span>{t(`history.spans.${each}`)}</span>
            </label>
          ))}
        </fieldset>
      </div>
      {failed && <Banner {...failedLoad(t, failed, t('history.failed'))} />}
      {(history.isPending || polyhouses.isPending) && !failed && (
        <>
          <p role="status">{t('app.loading')}</p>
          <Skeleton height={320} radius="lg" aria-hidden />
        </>
      )}
      {history.data && polyhouses.data && shown.length === 0 && (
        <Empty action={place.type === 'farm' && <ToFirstHour />}>{t('history.noSensors')}</Empty>
      )}
      {device && <DevicePast farmId={farmId} device={device} span={span} />}
      <div className={classes['charts']}>
        <InPieces>
          {history.data &&
            shown
              .filter(({ quantity }) => type === undefined || quantity.type === type)
              .map(({ quantity, limits }) => (
                <QuantityChart
                  key={quantity.type}
                  past={{ ...history.data, quantity }}
                  limits={limits}
                  span={span}
                  around={{ place: housed(place, houses), ...(device && { device: device.id }) }}
                  derived={derived.filter(({ sensorId }) =>
                    quantity.sensors.some(({ id }) => id === sensorId),
                  )}
                  rulePath={makesRules ? rulePath(quantity.type, quantity.scope) : undefined}
                  elsewhere={
                    samePlace(quantity.scope, place) ? undefined : words.placePath(quantity.scope, houses)
                  }
                />
              ))}
        </InPieces>
      </div>
    </div>
  );
}

/** Where a rule about a quantity of a place is made. */
const rulePath = (type: string, place: Place) =>
  `/automation/rules?${new URLSearchParams({ new: '', type, scope: scopeChoice(place) })}`;

/** The place that the address names. */
function placeOf(search: URLSearchParams): Place {
  const zoneId = search.get('zone');
  const polyhouseId = search.get('polyhouse');
  if (zoneId) return { type: 'zone', zoneId, polyhouseId };
  return polyhouseId ? { type: 'polyhouse', polyhouseId } : { type: 'farm' };
}

/** What the address names, as the place's choice has it. */
function choiceOf(search: URLSearchParams): string {
  for (const kind of ['device', 'zone', 'polyhouse']) {
    const id = search.get(kind);
    if (id) return `${kind}:${id}`;
  }
  return 'farm:';
}

/** A place with its house, also where an address names the zone alone. */
function housed(place: Place, houses: PlaceNames): Place {
  const house = houses.find(({ zones }) => zones.some(({ id }) => id === place.zoneId));
  return house ? { ...place, polyhouseId: house.id } : place;
}
