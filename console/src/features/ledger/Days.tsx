// Days by devices and meters: the sum first, then the latest day; a row unfolds to who had decided it.
import { useState } from 'react';
import Down from '~icon/ChevronDown';
import Up from '~icon/ChevronUp';
import { CardCell, CardRow, CardTable } from '../../ui/CardTable';
import { StatePill } from '../../ui/StatePill';
import classes from './Ledger.module.css';
import type { Ledger, Ran, Reading } from './queries';
import { useLedgerWords, type Words } from './words';

const NOTHING = '–';
const SUM = 'sum';

export function Days({ found }: { found: Ledger }) {
  const words = useLedgerWords();
  const { t, format } = words;
  const [open, setOpen] = useState<string>();
  const { days, sums, meters } = found;
  const columns = [
    t('ledger.day'),
    ...sums.devices.map(({ name }) => name),
    ...meters.map((meter) => t('ledger.measuredBy', { name: words.meterName(meter) })),
  ];
  const rows = [
    { id: SUM, title: t('ledger.sum', { count: days.length, number: format.count(days.length) }), ...sums },
    ...days.toReversed().map((day) => ({ id: day.day, title: format.shortDay(day.day), ...day })),
  ];
  return (
    <div className={classes['wide']}>
      <CardTable columns={columns} className={classes['days']}>
        {rows.map(({ id, title, devices, meters: readings }) => [
          <CardRow
            key={id}
            data-day={id}
            data-open={open === id}
            className={classes[id === SUM ? 'sum' : 'day']}
          >
            <CardCell lead>
              <button
                type="button"
                className={classes['fold']}
                aria-expanded={open === id}
                onClick={() => setOpen(open === id ? undefined : id)}
              >
                {open === id ? <Up size={20} aria-hidden /> : <Down size={20} aria-hidden />}
                {title}
              </button>
            </CardCell>
            {devices.map((device, index) => (
              <CardCell
                key={device.device_id}
                label={columns[index + 1] ?? ''}
                empty={device.on_sec === 0 && device.unknown_sec === 0}
              >
                <RanCell device={device} words={words} />
              </CardCell>
            ))}
            {readings.map((reading, index) => (
              <CardCell
                key={reading.sensor_id}
                label={columns[index + 1 + devices.length] ?? ''}
                empty={reading.ml === null && reading.unknown_sec === 0}
              >
                <ReadingCell reading={reading} words={words} />
              </CardCell>
            ))}
          </CardRow>,
          open === id && (
            <CardRow key={`${id} open`} className={classes['who']}>
              <CardCell span={columns.length}>
                <Who devices={devices} readings={readings} found={found} words={words} />
              </CardCell>
            </CardRow>
          ),
        ])}
      </CardTable>
    </div>
  );
}

function RanCell({ device, words }: { device: Ran; words: Words }) {
  const { on_sec: on, ml, unknown_sec: unknown } = device;
  const { t, amount, time } = words;
  return (
    <span className={classes['cell']}>
      {on > 0 ? (
        <>
          <b>{ml === null ? time(on) : amount(ml)}</b>
          <small>{ml === null ? t('ledger.noFlow') : time(on)}</small>
        </>
      ) : (
        unknown === 0 && NOTHING
      )}
      {unknown > 0 && <small className={classes['unknown']}>{words.unknown(unknown)}</small>}
    </span>
  );
}

function ReadingCell({ reading, words }: { reading: Reading; words: Words }) {
  const { ml, unknown_sec: unknown, computed_ml: computed, differs } = reading;
  const { t, amount } = words;
  return (
    <span className={classes['cell']}>
      {ml !== null && <b>{amount(ml)}</b>}
      {ml === null && unknown === 0 && NOTHING}
      {computed !== null &&
        (differs ? (
          <StatePill tone="warn" word={t('ledger.computed', { amount: amount(computed) })} />
        ) : (
          <small>{t('ledger.computed', { amount: amount(computed) })}</small>
        ))}
      {unknown > 0 && <small className={classes['unknown']}>{words.unknown(unknown)}</small>}
    </span>
  );
}

interface WhoProps {
  devices: readonly Ran[];
  readings: readonly Reading[];
  found: Ledger;
  words: Words;
}

/** Who had decided it, device by device, and what is to be said of the measurements. */
function Who({ devices, readings, found, words }: WhoProps) {
  const { t, amount, time, who, format } = words;
  const ran = devices.filter(({ shares }) => shares.length > 0);
  const told = readings.flatMap((reading) => {
    const meter = found.meters.find(({ sensor_id }) => sensor_id === reading.sensor_id);
    const restarts = { count: reading.restarts, number: format.count(reading.restarts) };
    const texts = [words.difference(reading), reading.restarts > 0 && t('ledger.restarts', restarts)];
    return texts.filter(Boolean).map((text) => `${meter ? words.meterName(meter) : ''}: ${text}`);
  });
  return (
    <div className={classes['shares']}>
      {ran.length === 0 && <p>{t('ledger.nothingRan')}</p>}
      {ran.map((device) => (
        <section key={device.device_id} data-shares={device.device_id}>
          <h3>{device.name}</h3>
          <ul>
            {device.shares.map((share) => (
              <li key={`${share.cause} ${share.by}`}>
                <span>{who(share)}</span>
                <span>
                  {[share.ml !== null && amount(share.ml), time(share.on_sec)].filter(Boolean).join(' · ')}
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {told.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </div>
  );
}
