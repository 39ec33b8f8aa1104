// Which sensors' curves are drawn: any of the house, a few at a time.
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { type PlaceNames, sensorTypes, useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import type { Sensor } from '../../screen/place';
import { useSensorNames } from '../../screen/sensors';
import classes from './Day.module.css';
import { MOST_CURVES } from './paint';

interface Props {
  sensors: readonly Sensor[];
  houses: PlaceNames;
  chosen: readonly string[];
  onChange: (ids: string[]) => void;
}

export const SensorChoice = memo(function SensorChoice({ sensors, houses, chosen, onChange }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const called = useSensorNames(sensors);
  const full = chosen.length >= MOST_CURVES;
  return (
    <details className={classes['choice']} open={sensors.length <= 12}>
      <summary>{t('day.sensors', { number: format.count(sensors.length) })}</summary>
      {full && <p className={classes['note']}>{t('day.most', { number: format.count(MOST_CURVES) })}</p>}
      <div className={classes['sensors']}>
        {sensorTypes.map((type) => {
          const all = sensors.filter((sensor) => sensor.type === type);
          return (
            all.length > 0 && (
              <fieldset key={type}>
                <legend>{words.quantity(type)}</legend>
                {all.map((sensor) => {
                  const { id } = sensor;
                  const on = chosen.includes(id);
                  return (
                    <label key={id}>
                      <input
                        type="checkbox"
                        checked={on}
                        disabled={full && !on}
                        onChange={() =>
                          onChange(on ? chosen.filter((other) => other !== id) : [...chosen, id])
                        }
                      />
                      <span>{called(sensor, houses)}</span>
                    </label>
                  );
                })}
              </fieldset>
            )
          );
        })}
      </div>
    </details>
  );
});
