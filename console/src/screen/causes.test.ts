// Which reading switched a device on: that of the rule that did, a moment before, and of no other.
import { expect, it } from 'vitest';
import type { components } from '../api/schema';
import { startedAt } from './causes';

const AT = 1_763_706_600_000;
const fired = (timestamp: number, device: string, value: number, kind = 'rule_fired') =>
  ({
    timestamp,
    details: {
      kind,
      commands: [{ deviceId: device }],
      reading: { sensorType: 'temperature', value, sensors: 2 },
    },
  }) as unknown as components['schemas']['LogEntry'];

it('is read from the entry of the rule that switched this device just then', () => {
  const entries = [
    fired(AT + 1, 'fan', 40),
    fired(AT - 900, 'vent', 31),
    fired(AT - 900, 'fan', 30, 'rule_stopped'),
    fired(AT - 1_000, 'fan', 32.3),
    fired(AT - 2_000, 'fan', 29),
  ];
  expect(startedAt(entries, 'fan', AT)).toEqual({ sensorType: 'temperature', value: 32.3, sensors: 2 });
  expect(startedAt(entries.slice(4), 'fan', AT + 120_000)).toBeUndefined();
  expect(startedAt(entries, 'pump', AT)).toBeUndefined();
});

it('is not known of an entry that has none', () => {
  const entry = fired(AT, 'fan', 1);
  entry.details['reading'] = undefined;
  expect(startedAt([entry], 'fan', AT)).toBeUndefined();
});
