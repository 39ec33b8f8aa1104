// What each sensor of a place comes to: the mean of many hides the one that is out of line.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../i18n/format';
import chartClasses from '../../ui/Chart.module.css';
import { named, type SensorPast } from './series';

interface Props {
  sensors: readonly SensorPast[];
  /** What a sensor without a name is called. */
  unnamed: string;
  amount: (value: number) => string;
}

export function EachSensor({ sensors, unnamed, amount }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  // Hundreds of rows in each of eight charts are made only for who looks at them.
  const [open, setOpen] = useState(false);
  const title = t('history.eachSensor', { number: format.count(sensors.length) });
  const said = (value: number | null) => (value === null ? t('history.noReading') : amount(value));
  return (
    <details className={chartClasses['table']} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {open && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section className={chartClasses['scroll']} tabIndex={0} aria-label={title}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('history.sensor')}</th>
                <th scope="col">{t('history.mean')}</th>
                <th scope="col">{t('history.lowest')}</th>
                <th scope="col">{t('history.highest')}</th>
              </tr>
            </thead>
            <tbody>
              {named(sensors, unnamed).map(({ id, name, mean, min, max }) => (
                <tr key={id}>
                  <th scope="row">{name}</th>
                  <td>{said(mean)}</td>
                  <td>{said(min)}</td>
                  <td>{said(max)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
}
