// What sensors are called where several have the same name, or none: numbered within their house, and with their zone.
import { useTranslation } from 'react-i18next';
import { type PlaceNames, type SensorTypeName, useDomain } from '../i18n/domain';
import { useFormat } from '../i18n/format';
import type { Sensor } from './place';

type Called = Pick<Sensor, 'id' | 'name' | 'type' | 'scope'>;

/** The number of each sensor among those of its house with the same name; none where it is the only one. */
export function numbersOf(
  sensors: readonly Called[],
  nameOf: (sensor: Called) => string,
): Map<string, number> {
  const alike = new Map<string, string[]>();
  for (const sensor of sensors) {
    const key = JSON.stringify([sensor.scope.polyhouseId ?? null, nameOf(sensor)]);
    alike.set(key, [...(alike.get(key) ?? []), sensor.id]);
  }
  // By their ids: a sensor has the same number in every list.
  return new Map(
    [...alike.values()]
      .filter((ids) => ids.length > 1)
      .flatMap((ids) => ids.sort().map((id, index) => [id, index + 1] as const)),
  );
}

/** Names the sensors of a farm: all of them are needed, so that numbers are the same everywhere. */
export function useSensorNames(all: readonly Called[]): (sensor: Called, houses?: PlaceNames) => string {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const nameOf = ({ name, type }: Called) => name || words.quantity(type as SensorTypeName);
  const numbers = numbersOf(all, nameOf);
  return (sensor, houses) => {
    const number = numbers.get(sensor.id);
    const name = nameOf(sensor);
    const numbered =
      number === undefined ? name : t('screen.numbered', { name, number: format.count(number) });
    const zone = sensor.scope.type === 'zone' ? words.placeNames(sensor.scope, houses).at(-1) : undefined;
    return houses && zone ? t('screen.placed', { name: numbered, place: zone }) : numbered;
  };
}
