// The ledger as a table for a spreadsheet: a line for each day, device and who had decided it; what is not known, and what was
// measured, have lines of their own, so that columns can be summed.
import type { Cell } from '../../ui/csv';
import type { Ledger, Meter, Ran, Share } from './queries';

export interface FileWords {
  heads: readonly [
    day: string,
    what: string,
    kind: string,
    by: string,
    seconds: string,
    computed: string,
    measured: string,
  ];
  kind: (of: Ran | Meter) => string;
  meter: (meter: Meter) => string;
  who: (share: Share) => string;
  measured: string;
  notKnown: string;
}

/** Litres, to the millilitre. */
const litres = (ml: number | null) => (ml === null ? null : Math.round(ml) / 1_000);

export function rowsOf({ days, meters }: Ledger, words: FileWords): readonly (readonly Cell[])[] {
  const rows: Cell[][] = days.flatMap(({ day, devices, meters: readings }) => [
    ...devices.flatMap((device) => {
      const what = [day, device.name, words.kind(device)];
      return [
        ...device.shares.map((share) => [...what, words.who(share), share.on_sec, litres(share.ml), null]),
        ...(device.unknown_sec > 0 ? [[...what, words.notKnown, device.unknown_sec, null, null]] : []),
      ];
    }),
    ...readings.flatMap((reading) => {
      const meter = meters.find(({ sensor_id }) => sensor_id === reading.sensor_id);
      if (!meter) return [];
      const what = [day, words.meter(meter), words.kind(meter)];
      return [
        ...(reading.ml === null ? [] : [[...what, words.measured, null, null, litres(reading.ml)]]),
        ...(reading.unknown_sec > 0 ? [[...what, words.notKnown, reading.unknown_sec, null, null]] : []),
      ];
    }),
  ]);
  return [words.heads, ...rows];
}
