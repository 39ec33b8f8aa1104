import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetSession } from '../../api/session';
import type { Device } from '../../screen/device';
import { bodyOf, missing, valuesOf } from './limits';
import { base, device, page, unused } from './test-control';

vi.setConfig({ testTimeout: 40_000 });

afterEach(forgetSession);

type Limits = NonNullable<Device['limits']>;
type LimitsState = NonNullable<Device['limits_state']>;

const generator = { id: 'g1', name: 'Generator', at_most: 3, running: 3 };
const limited = (name: string, limits: Limits | null, state: Partial<LimitsState> = {}) =>
  device(name, { limits, limits_state: { ...unused, ...state } });

describe('the document', () => {
  const everything: Limits = {
    min_on_sec: 90,
    min_off_sec: 120,
    starts_per_hour: 6,
    groups: ['g1', 'g2'],
    needs: { any: ['v1', 'v2'], for_sec: 0 },
    sec_per_day: 7_200,
    ml_per_day: 1_500,
    ml_per_sec: 0.25,
  };

  it.each<[string, Limits | null]>([
    ['nothing', null],
    ['everything', everything],
    ['odd numbers', { ml_per_day: 1_234.567891, ml_per_sec: 0.000001, sec_per_day: 3_661, min_on_sec: 1 }],
    ['large ones', { ml_per_day: 100_000_000, ml_per_sec: 10_000, sec_per_day: 86_400, min_off_sec: 3_600 }],
    ['litres with a part', { ml_per_day: 1_010, ml_per_sec: 3 }],
    ['a flow alone', { ml_per_sec: 3 }],
  ])('comes back as it was: %s', (_, limits) => {
    for (const [max_on_sec, max_pulse_sec_per_hour] of [
      [null, null],
      [900, 45],
      [315_360_000, 61],
    ] as const) {
      const before = device('Pump', { limits, max_on_sec, max_pulse_sec_per_hour });
      const values = valuesOf(before);
      expect(missing(values)).toEqual({ numbers: [], choices: [], times: [] });
      expect(bodyOf(values)).toEqual({ limits, max_on_sec, max_pulse_sec_per_hour });
    }
  });

  it('says numbers in the unit that is easy to say', () => {
    const { limits, max_on_sec } = valuesOf(device('Pump', { limits: everything, max_on_sec: 900 }));
    expect(limits.min_on_sec).toEqual({ on: true, text: '90', unit: 's' });
    expect(limits.min_off_sec).toEqual({ on: true, text: '2', unit: 'min' });
    expect(limits.sec_per_day).toEqual({ on: true, text: '2', unit: 'h' });
    expect(limits.ml_per_day).toEqual({ on: true, text: '1.5', unit: 'l' });
    expect(max_on_sec).toEqual({ on: true, text: '15', unit: 'min' });
  });

  it('is not made of what is no number, or of no choice', () => {
    const values = valuesOf(device('Pump', { limits: everything }));
    values.limits.min_on_sec.text = 'x';
    values.limits.min_off_sec = { on: true, text: '०', unit: 'min' };
    values.limits.starts_per_hour = { on: false, text: 'x', unit: 'times' };
    values.limits.ml_per_sec = '';
    values.limits.needs.any = [];
    expect(missing(values)).toEqual({
      numbers: ['limits.min_on_sec', 'limits.min_off_sec', 'limits.ml_per_sec'],
      choices: ['limits.needs.any'],
      times: [],
    });
  });

  it('takes the digits of Marathi', () => {
    const values = valuesOf(device('Pump'));
    values.limits.min_on_sec = { on: true, text: '१.५', unit: 'min' };
    expect(bodyOf(values).limits).toEqual({ min_on_sec: 90 });
  });
});

describe('what is held', () => {
  const at = new Date('2020-11-25T09:02:00Z').getTime();
  const cases: [string, Device][] = [
    [
      'Does not start yet: it stays off for its least time, until 25 Nov 2020, 2:32 pm',
      limited('A', { min_off_sec: 60 }, { held: 'min_off', held_until: at }),
    ],
    [
      'Stays on for its least time, until 25 Nov 2020, 2:32 pm',
      limited('A', { min_on_sec: 60 }, { held: 'min_on', held_until: at }),
    ],
    [
      'Does not start yet: 3 of 3 run on Generator',
      limited('A', { groups: ['g1'] }, { held: 'group', groups: [generator] }),
    ],
    [
      'Does not start yet: 6 of 6 starts in this hour; again at 25 Nov 2020, 2:32 pm',
      limited('A', { starts_per_hour: 6 }, { held: 'starts', starts: 6, held_until: at }),
    ],
    [
      'Does not start yet: Valve 1 or Valve 2 must be on first',
      limited('A', { needs: { any: ['Valve 1', 'Valve 2'], for_sec: 3 } }, { held: 'needs' }),
    ],
    [
      "Does not start: the day's amount is used up, until 25 Nov 2020, 2:32 pm",
      limited('A', { sec_per_day: 60 }, { held: 'budget', held_until: at }),
    ],
    [
      'Does not start: outside of its hours, until 25 Nov 2020, 2:32 pm',
      limited('A', {}, { held: 'hours', held_until: at }),
    ],
    ['Does not start: outside of its hours', limited('A', {}, { held: 'hours' })],
    ['Stays on until the device that needs it is off', limited('A', null, { held: 'needed' })],
    // For who is not told what it needs.
    ['Does not start yet: a device that it needs must be on first', limited('A', {}, { held: 'needs' })],
  ];

  it('is said in one sentence, with until when', async () => {
    const named = cases.map(([, held], nth) => ({ ...held, id: `d${nth}`, name: `Machine ${nth}` }));
    const { card } = await page([...named, device('Valve 1'), device('Valve 2')]);
    cases.forEach(([sentence], nth) => {
      expect(card(`Machine ${nth}`).getByText(sentence)).toBeDefined();
    });
  });
});

describe('what is used', () => {
  it('stands on the card and in the panel', async () => {
    const pump = limited(
      'Pump',
      { ml_per_day: 300, ml_per_sec: 2, sec_per_day: 3_600, starts_per_hour: 6, groups: ['g1'] },
      { used_ml: 240, left_ml: 60, used_sec: 2_100, left_sec: 1_500, starts: 2, groups: [generator] },
    );
    pump.state.on = true;
    const { card, choose } = await page([pump]);
    const texts = [
      '240 of 300 ml today',
      '35 of 60 min today',
      '2 of 6 starts in this hour',
      '3 of 3 run: Generator',
    ];
    for (const text of texts) expect(card('Pump').getByText(text)).toBeDefined();
    await choose('Pump');
    const panel = within(document.querySelector('[data-panel]') as HTMLElement);
    expect(panel.getAllByRole('meter').map((meter) => meter.getAttribute('value'))).toEqual([
      '240',
      '2100',
      '2',
      '3',
    ]);
    expect(panel.getByRole('meter', { name: '240 of 300 ml today' }).getAttribute('max')).toBe('300');
  });
});

describe('the form', () => {
  const put = `PUT ${base}/devices/Pump/limits`;
  const groups = { [`GET ${base}/device-groups`]: { body: [{ ...generator, members: [], etag: 'g' }] } };

  it('is not offered to who may not change it', async () => {
    const { choose } = await page([device('Pump')], {}, 'FARM_MANAGER');
    await choose('Pump');
    expect(screen.queryByRole('button', { name: 'Limits' })).toBeNull();
  });

  it('sets a least time, a need and groups, with what stands there kept', async () => {
    const known = device('Pump', {
      max_on_sec: 900,
      limits: { starts_per_hour: 6, ml_per_sec: 2 },
      limits_state: unused,
    });
    const { choose, person, server } = await page([known, device('Valve 1')], {
      ...groups,
      [put]: { body: known },
      [`POST ${base}/device-groups`]: { body: { id: 'g2', name: 'Well', at_most: 2, etag: 'g' } },
    });
    await choose('Pump');
    await person.click(screen.getByRole('button', { name: 'Limits' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Limits of Pump' }));
    expect(dialog.getByRole<HTMLInputElement>('switch', { name: 'Stays off at least' }).checked).toBe(false);
    await person.click(dialog.getByRole('switch', { name: 'Stays off at least' }));
    await person.type(dialog.getByRole('textbox', { name: 'Stays off at least' }), '2');
    await person.click(dialog.getByRole('switch', { name: 'Runs only while another device is on' }));
    // Nothing is sent while something is missing.
    await person.click(dialog.getByRole('button', { name: 'Save' }));
    expect(await dialog.findByText('Choose at least one device')).toBeDefined();
    expect(server.calls.filter(({ call }) => call === put)).toEqual([]);
    await person.click(dialog.getByRole('button', { name: 'Valve 1' }));
    await person.click(await dialog.findByRole('button', { name: 'Generator · 3 at a time' }));
    await person.click(dialog.getByRole('button', { name: 'New group' }));
    await person.type(dialog.getByLabelText('Name of the group'), 'Well');
    await person.clear(dialog.getByLabelText('How many run at a time'));
    await person.type(dialog.getByLabelText('How many run at a time'), '2');
    await person.click(dialog.getByRole('button', { name: 'Add group' }));
    await waitFor(() => expect(dialog.queryByLabelText('Name of the group')).toBeNull());
    await person.click(dialog.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Limits of Pump' })).toBeNull());
    const sent = server.calls.filter(({ call }) => call === put || call.startsWith('POST'));
    expect(sent.map(({ body }) => body)).toEqual([
      { name: 'Well', at_most: 2 },
      {
        limits: {
          min_off_sec: 120,
          starts_per_hour: 6,
          groups: ['g1', 'g2'],
          needs: { any: ['Valve 1'], for_sec: 3 },
          ml_per_sec: 2,
        },
        max_on_sec: 900,
        max_pulse_sec_per_hour: null,
      },
    ]);
  });

  it('asks for the roster, and for what holds while nobody knows', async () => {
    const known = device('Pump');
    const { choose, person, server } = await page([known, device('Grid')], {
      ...groups,
      [put]: { body: known },
    });
    await choose('Pump');
    await person.click(screen.getByRole('button', { name: 'Limits' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Limits of Pump' }));
    await person.click(dialog.getByRole('switch', { name: 'Runs only at certain hours' }));
    await person.click(dialog.getByRole('button', { name: 'Save' }));
    expect(await dialog.findByText('Both times are needed')).toBeDefined();
    expect(dialog.getByText('A choice is needed')).toBeDefined();
    const first = within(dialog.getByRole('group', { name: 'Time 1' }));
    fireEvent.change(first.getByLabelText('From'), { target: { value: '06:00' } });
    fireEvent.change(first.getByLabelText('Until'), { target: { value: '10:00' } });
    const [monday] = first.getAllByRole('button');
    if (monday) await person.click(monday);
    await person.selectOptions(dialog.getByLabelText('Only while this device is on'), 'Grid');
    await person.click(dialog.getByRole('button', { name: 'Stay off' }));
    await person.click(dialog.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Limits of Pump' })).toBeNull());
    const [sent] = server.calls.filter(({ call }) => call === put);
    expect(sent?.body).toMatchObject({
      limits: {
        hours: {
          while: {
            all: [
              { time: { from: '06:00', to: '10:00' }, days: ['mon'] },
              { device: 'Grid', is: 'on' },
            ],
          },
          if_unknown: 'hold',
        },
      },
    });
  });

  it('shows what the server says at the field it is about', async () => {
    const said = {
      error: 'Some entries are not valid',
      code: 'invalid',
      problems: [
        { path: 'limits.min_off_sec', code: 'out_of_range', message: '36000 is outside 1 to 3600' },
        { path: 'limits.needs.any', code: 'circle', message: 'it needs itself' },
      ],
    };
    const known = device('Pump', { limits: { min_off_sec: 60, needs: { any: ['Valve 1'], for_sec: 3 } } });
    const { choose, person } = await page([known, device('Valve 1')], {
      ...groups,
      [put]: { status: 422, body: said },
    });
    await choose('Pump');
    await person.click(screen.getByRole('button', { name: 'Limits' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Limits of Pump' }));
    await person.click(dialog.getByRole('button', { name: 'Save' }));
    expect(await dialog.findByText('36000 is outside 1 to 3600')).toBeDefined();
    const field = dialog.getByRole('textbox', { name: 'Stays off at least' });
    expect(field.getAttribute('aria-invalid')).toBe('true');
    expect(dialog.getByRole('group', { name: 'One of these must be on' }).textContent).toContain(
      'it needs itself',
    );
  });
});
