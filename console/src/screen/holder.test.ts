import { describe, expect, it } from 'vitest';
import { device, unused } from '../features/control/test-control';
import { type Device, holderOf } from './device';

const pulse = { rule: 'dose', until: 5 };

describe('who has a device', () => {
  it.each<[string, Partial<Device>, Partial<Device['state']>]>([
    ['rest', {}, {}],
    ['rule', { desired_by: 'r1' }, {}],
    ['pulse', { pulse }, { on: true }],
    ['person', { pulse }, { mode: 'manual', source: 'Ravi' }],
    ['limit', { limits_state: { ...unused, held: 'needed' } }, { on: true }],
    ['limit', { limits_state: { ...unused, held: 'min_on' }, desired_by: 'r1' }, { on: true }],
    // What does not start yet is not had by its limits: it does nothing.
    ['rule', { limits_state: { ...unused, held: 'min_off' }, desired_by: 'r1' }, { on: false }],
  ])('is %s', (by, fields, state) => {
    expect(holderOf(device('d', fields, state)).by).toBe(by);
  });
});
