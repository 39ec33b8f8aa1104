// How well a trial knows what the devices would have changed: its error, what changed, and what is not known.
import { useTranslation } from 'react-i18next';
import { useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import type { Backtest } from './queries';

interface Props {
  twin: NonNullable<Backtest['twin']>;
  /** The devices that would have done something else. */
  switched: string[];
  nameOf: (device: string) => string;
}

export function Twin({ twin, switched, nameOf }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useDomain();
  return twin.places.map(({ place, sensor_type, refused, error, unknown, was, would }) => {
    const value = (number: number) => `${format.reading(number)} ${words.unit(sensor_type)}`;
    const of = { signal: words.quantity(sensor_type), place: place.name ?? '' };
    const unseen = unknown.filter(({ device }) => switched.includes(device));
    return (
      <div key={`${sensor_type} ${place.polyhouseId} ${place.zoneId}`} data-twin={refused ?? 'follows'}>
        <p>
          {refused || error === null
            ? t('explained.twinRefused', of)
            : t('explained.twinOff', { ...of, error: value(error) })}
        </p>
        {was?.[1] !== undefined && would?.[1] !== undefined && (
          <p>{t('explained.twinHighest', { ...of, would: value(would[1]), was: value(was[1]) })}</p>
        )}
        {!refused && unseen.length > 0 && (
          <p>
            {t('explained.twinUnknown', { devices: format.list(unseen.map(({ device }) => nameOf(device))) })}
          </p>
        )}
      </div>
    );
  });
}
