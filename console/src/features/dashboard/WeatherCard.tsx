// The weather at the farm, and where it comes from; without a source, why there is none.
import type { Icon } from '@tabler/icons-react';
import type { ParseKeys } from 'i18next';
import { useTranslation } from 'react-i18next';
import Humidity from '~icon/Droplet';
import Pressure from '~icon/Gauge';
import FeelsLike from '~icon/Temperature';
import Wind from '~icon/Wind';
import { type Format, useFormat } from '../../i18n/format';
import type { Weather } from './queries';
import classes from './WeatherCard.module.css';

const DASH = '–';

type Figure = 'feelsLike' | 'humidity' | 'wind' | 'pressure';

const figures: {
  field: Figure;
  label: ParseKeys;
  icon: Icon;
  write: keyof Pick<Format, 'celsius' | 'percent' | 'windSpeed' | 'hectopascal'>;
}[] = [
  { field: 'feelsLike', label: 'weather.feelsLike', icon: FeelsLike, write: 'celsius' },
  { field: 'humidity', label: 'weather.humidity', icon: Humidity, write: 'percent' },
  { field: 'wind', label: 'weather.wind', icon: Wind, write: 'windSpeed' },
  { field: 'pressure', label: 'weather.pressure', icon: Pressure, write: 'hectopascal' },
];

const sources: Record<Weather['source'], ParseKeys> = {
  provider: 'weather.source.provider',
  farm: 'weather.source.farm',
  simulator: 'weather.source.simulator',
  none: 'weather.source.none',
};

export function WeatherCard({ weather }: { weather: Weather | undefined }) {
  const { t } = useTranslation();
  const format = useFormat();
  const current = weather?.current ?? null;
  return (
    <section className={classes['card']} aria-labelledby="weather-title">
      <h3 id="weather-title">{t('weather.title')}</h3>
      <p className={classes['now']}>{current === null ? DASH : format.celsius(current)}</p>
      <dl className={classes['figures']}>
        {figures.map((figure) => {
          const value = weather?.[figure.field] ?? null;
          return (
            <div key={figure.field}>
              <figure.icon size={22} aria-hidden />
              <dt>{t(figure.label)}</dt>
              <dd>{value === null ? DASH : format[figure.write](value)}</dd>
            </div>
          );
        })}
      </dl>
      <p className={classes['note']}>
        {weather === undefined
          ? t('dashboard.noValue')
          : weather.source === 'none'
            ? weather.reason || t('weather.none')
            : [
                t(sources[weather.source]),
                weather.at && t('reading.updated', { time: format.time(new Date(weather.at)) }),
              ]
                .filter(Boolean)
                .join(' · ')}
      </p>
    </section>
  );
}
