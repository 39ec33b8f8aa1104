import { describe, expect, it } from 'vitest';
import { device } from '../features/control/test-control';
import { type Device, holderOf } from './device';

const limits = (held: NonNullable<Device['limits_state']>['held']): NonNullable<Device['limits_state']> => ({
  held,
  held_until: null,
  starts: 1,
  used_sec: 0,
  left_sec: null,
  used_ml: 0,
  left_ml: null,
  day_ends: null,
  groups: [],
});
const pulse = { rule: 'dose', until: 5 };

describe('who has a device', () => {
  it.each<[string, Partial<Device>, Partial<Device['state']>]>([
    ['rest', {}, {}],
    ['rule', { desired_by: 'r1' }, {}],
    ['pulse', { pulse }, { on: true }],
    ['person', { pulse }, { mode: 'manual', source: 'Ravi' }],
    ['limit', { limits_state: limits('needed') }, { on: true }],
    ['limit', { limits_state: limits('min_on'), desired_by: 'r1' }, { on: true }],
    // What does not start yet is not had by its limits: it does nothing.
    ['rule', { limits_state: limits('min_off'), desired_by: 'r1' }, { on: false }],
  ])('is %s', (by, fields, state) => {
    expect(holderOf(device('d', fields, state)).by).toBe(by);
  });
});
