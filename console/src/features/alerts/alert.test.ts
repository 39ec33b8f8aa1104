import { describe, expect, it } from 'vitest';
import { spanOf } from '../../screen/condition/span';
import {
  type Alert,
  type Draft,
  draftOf,
  fieldsOf,
  inOrder,
  newCondition,
  newDraft,
  problemsOf,
  splitSubscribers,
  standingOf,
  toggleSubscriber,
} from './alert';

const alert: Alert = {
  etag: 'v1',
  id: 'a1',
  name: 'Hot',
  repeatsIn: 2,
  repeatUnit: 'hours',
  isActive: false,
  channels: ['SMS'],
  conditions: [
    { id: 'x', sensor: 'Temperature', operator: '>=', value: 36.5, unit: '°C' },
    { id: 'x', sensor: 'Water Level', operator: '<', value: 20, unit: '%' },
  ],
  subscribers: [{ email: 'a@b.in' }, { email: 'c@d.in' }],
  lastTriggered: 5,
  createdAt: 4,
  match: 'any',
  hold_sec: 90,
  clear_sec: 7_200,
  scope: { type: 'zone', polyhouseId: 'p1', zoneId: 'z1' },
  evidence: 'worst',
  severity: 'critical',
  status: {
    raised: false,
    raisedSince: null,
    unknownSince: null,
    waitsFor: [],
    condition: null,
    holding: null,
    nextNotification: null,
    incident: null,
  },
};

const fine = { name: 'x', subscribers: 'a@b.in' };
const wrong = (change: Partial<Draft>) =>
  problemsOf({ ...newDraft(), ...change }).map(({ path, code }) => `${path} ${code}`);

describe('what an alert asks beside its conditions', () => {
  const pump = { device: 'pump-1', is: 'on', hold_sec: 60 } as const;
  const kept = { not: { days: ['mon'] } } as const;
  it.each([
    ['always', null],
    [
      'night',
      {
        time: { from: { sun: 'sunset', offset_min: 0 }, to: { sun: 'sunrise', offset_min: 0 } },
        hold_sec: 0,
      },
    ],
    ['device:pump-1', pump],
    ['other', kept],
    ['other', { ...pump, hold_sec: 61 }],
    ['other', { time: { from: { sun: 'sunset', offset_min: 5 }, to: { sun: 'sunrise', offset_min: 0 } } }],
  ] as const)('is %s, and comes out of the form as it came in', (choice, node) => {
    const draft = draftOf({ ...alert, only_if: node } as Alert);
    expect(draft.onlyIf).toBe(choice);
    expect(fieldsOf(draft, undefined).only_if ?? null).toEqual(node);
  });
});

describe('a new alert', () => {
  it('repeats every 30 minutes on pH > 7 of the worst sensor, after two minutes of it', () => {
    expect(fieldsOf({ ...newDraft(), name: ' Sour ', subscribers: 'a@b.in' }, undefined)).toEqual({
      name: 'Sour',
      repeatsIn: 30,
      repeatUnit: 'minutes',
      isActive: true,
      channels: ['EMAIL'],
      conditions: [{ id: 'condition-1', sensor: 'pH', operator: '>', value: 7, unit: '' }],
      subscribers: [{ email: 'a@b.in' }],
      match: 'all',
      hold_sec: 120,
      clear_sec: 120,
      evidence: 'worst',
      severity: 'warning',
    });
  });

  it('needs a name and a subscriber', () => {
    expect(wrong({})).toEqual(['name required', 'subscribers required']);
    expect(wrong({ name: 'x', subscribers: 'a@b.in' })).toEqual([]);
  });

  it.each(['0', '', '-1', '1.5', 'x'])('does not repeat in %j', (amount) => {
    expect(wrong({ ...fine, repeatsIn: { amount, unit: 'days' } })).toEqual([
      expect.stringMatching(/^repeatsIn /),
    ]);
  });

  it.each(['', ' ', '.', 'x'])('does not compare with %j', (value) => {
    const conditions = [newCondition(), { ...newCondition(), value }];
    expect(wrong({ ...fine, conditions })).toEqual(['conditions[1].value required']);
  });

  it('compares only with what the sensor can measure', () => {
    const conditions = [{ ...newCondition(), value: '14.1' }];
    expect(wrong({ ...fine, conditions })).toEqual(['conditions[0].value out_of_range']);
  });

  it('numbers its conditions past those that are there', () => {
    expect(newCondition([{ ...newCondition(), id: 'condition-3' }]).id).toBe('condition-4');
  });
});

describe('an alert that is edited', () => {
  it('stays what it is, but is active', () => {
    const fields = fieldsOf(draftOf(alert), alert.scope ?? undefined);
    const { id, lastTriggered, createdAt, status, etag: _etag, ...rest } = alert;
    expect(fields).toEqual({
      ...rest,
      isActive: true,
      // Ids that are not unique are told apart.
      conditions: [rest.conditions[0], { ...rest.conditions[1], id: 'condition-2' }],
    });
    expect([id, lastTriggered, createdAt, status.raised]).toEqual(['a1', 5, 4, false]);
  });

  it('goes on with the mean where it says nothing', () => {
    const { evidence, ...old } = alert;
    expect(fieldsOf(draftOf(old), undefined)).toMatchObject({ evidence: 'mean', severity: 'critical' });
    expect(evidence).toBe('worst');
  });

  it('carries the unit of the sensor that was chosen', () => {
    const draft = draftOf(alert);
    const conditions = draft.conditions.map((condition) => ({ ...condition, sensor: 'EC' as const }));
    expect(fieldsOf({ ...draft, conditions }, undefined).conditions.map(({ unit }) => unit)).toEqual([
      'mS/cm',
      'mS/cm',
    ]);
  });
});

describe('subscribers', () => {
  it('are split on commas, trimmed, and empty ones dropped', () => {
    expect(splitSubscribers(' a@b.in,, c@d.in ,A@B.in,')).toEqual(['a@b.in', 'c@d.in']);
    expect(splitSubscribers(' , ')).toEqual([]);
  });

  it('are addresses', () => {
    expect(wrong({ ...fine, subscribers: 'a@b.in, nobody' })).toEqual(['subscribers not_email']);
  });

  it('are put in and taken out by their address', () => {
    expect(toggleSubscriber('', 'a@b.in')).toBe('a@b.in');
    expect(toggleSubscriber('x@y.in,', 'a@b.in')).toBe('x@y.in, a@b.in');
    expect(toggleSubscriber('A@b.in, x@y.in', 'a@b.in')).toBe('x@y.in');
  });
});

it('writes spans in the largest unit that leaves no rest', () => {
  expect([0, 45, 60, 90, 3_600, 86_400].map(spanOf)).toEqual([
    { amount: '0', unit: 'seconds' },
    { amount: '45', unit: 'seconds' },
    { amount: '1', unit: 'minutes' },
    { amount: '90', unit: 'seconds' },
    { amount: '1', unit: 'hours' },
    { amount: '24', unit: 'hours' },
  ]);
});

describe('how an alert stands', () => {
  const at = (isActive: boolean, status: Partial<Alert['status']>) =>
    standingOf({ ...alert, isActive, status: { ...alert.status, ...status } });
  const holding = { since: 1, due: 2 };

  it('is one of five', () => {
    expect(at(false, { condition: true })).toBe('off');
    expect(at(true, { raised: true, condition: null, holding })).toBe('raised');
    expect(at(true, { condition: null })).toBe('noData');
    expect(at(true, { condition: true, holding })).toBe('holding');
    expect(at(true, { condition: false })).toBe('quiet');
  });

  it('brings the raised ones to the top', () => {
    const raised = { ...alert, name: 'Z', isActive: true, status: { ...alert.status, raised: true } };
    const minor = { ...raised, name: 'Y', severity: 'info' as const };
    const names = inOrder([{ ...alert, name: 'B' }, { ...alert, name: 'A' }, minor, raised], (a, b) =>
      a < b ? -1 : 1,
    ).map(({ name }) => name);
    expect(names).toEqual(['Z', 'Y', 'A', 'B']);
  });
});
