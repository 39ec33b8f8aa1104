import { expect, it } from 'vitest';
import { device } from '../features/control/test-control';
import { type Device, looksOf } from './device';

const lock = (kind: Device['state']['locks'][number]['kind']) => [{ kind, reason: '', by: null, since: 0 }];

it.each<[string, Partial<Device>, Partial<Device['state']>, string, string | undefined]>([
  ['is off', {}, {}, 'off', undefined],
  ['says that it is on', { last_sent: { action: 'on' } }, { on: true }, 'on', undefined],
  ['was told and has not said so', { last_sent: { action: 'on' } }, {}, 'told', undefined],
  ['was told to stand at nothing', { last_sent: { action: 'set_speed', value: 0 } }, {}, 'off', undefined],
  [
    'is locked after it was told',
    { last_sent: { action: 'on' } },
    { locks: lock('person') },
    'off',
    'locked',
  ],
  ['never said anything', {}, { on: null }, 'unknown', undefined],
  ['cannot be reached', { online: false }, { on: true }, 'unknown', 'offline'],
  ['is run by a person', {}, { on: true, mode: 'manual' }, 'on', 'hand'],
  ['keeps stopping', {}, { locks: lock('keeps_stopping') }, 'off', 'failed'],
  ['is in safety mode', {}, { mode: 'safety', safety: true }, 'off', 'locked'],
])('a device that %s', (_, fields, state, does, mark) => {
  expect(looksOf(device('d', fields, state))).toEqual({ kind: 'pump', does, mark });
});
