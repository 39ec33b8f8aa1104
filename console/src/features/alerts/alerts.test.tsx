import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetSession } from '../../api/session';
import { type Answer, farmAs, owner, serve, showConsole } from '../../test-console';
import type { Alert } from './alert';

afterEach(() => {
  forgetSession();
  vi.restoreAllMocks();
});

const path = '/api/farms/demo-farm-1/alerts';
const raisedAt = Date.parse('2026-11-21T10:37:00Z');

const hot: Alert = {
  etag: 'v1',
  id: 'hot',
  name: 'Too hot',
  repeatsIn: 30,
  repeatUnit: 'minutes',
  isActive: true,
  channels: ['EMAIL', 'SMS'],
  conditions: [
    { id: 'c1', sensor: 'Temperature', operator: '>', value: 36.5, unit: '°C' },
    { id: 'c2', sensor: 'Water Level', operator: '<=', value: 20, unit: '%' },
  ],
  subscribers: [{ email: 'a@b.in' }, { email: 'c@d.in' }],
  lastTriggered: raisedAt,
  createdAt: 1,
  match: 'any',
  hold_sec: 0,
  clear_sec: 0,
  scope: { type: 'polyhouse', polyhouseId: 'p1', name: 'Polyhouse 1' },
  evidence: 'worst',
  severity: 'critical',
  status: {
    raised: true,
    raisedSince: raisedAt,
    unknownSince: null,
    waitsFor: [],
    condition: true,
    holding: null,
    nextNotification: raisedAt + 1,
    incident: {
      id: `${raisedAt}-hot`,
      state: 'taken',
      by: { id: 'u2', name: 'Ravi' },
      until: null,
      taken: { id: 'u2', name: 'Ravi' },
    },
  },
};
const sour: Alert = {
  ...hot,
  id: 'sour',
  name: 'Sour water',
  isActive: false,
  channels: [],
  conditions: [{ id: 'c1', sensor: 'pH', operator: '<', value: 5.5, unit: '' }],
  subscribers: [{ email: 'a@b.in' }],
  lastTriggered: null,
  match: 'all',
  scope: null,
  evidence: null,
  severity: 'warning',
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
const houses = [
  {
    id: 'p1',
    name: 'East house',
    capacity: null,
    isActive: true,
    zonesCount: 1,
    zones: [{ id: 'z1', name: 'Bed' }],
  },
];
const people = [{ id: 'u1', name: 'Asha Patil', email: 'asha@farm.in', isActive: true }];

async function page(answers: Record<string, Answer> = {}, at = '/alerts') {
  const server = serve({
    [`GET ${path}`]: { body: [sour, hot] },
    'GET /auth/delivery': { body: { delivery: 'nobody' } },
    'GET /api/farms/demo-farm-1/polyhouses': { body: houses },
    'GET /api/farms/demo-farm-1/users': { body: { users: people } },
    ...answers,
  });
  const view = showConsole(at, owner);
  await screen.findByRole('heading', { name: 'Alerts & Notifications' });
  const card = (name: string) => within(screen.getByRole('article', { name }));
  const sent = (call: string) => server.calls.find((made) => made.call === call)?.body;
  return { ...view, server, card, sent };
}

describe('/alerts', () => {
  it('shows each alert rule with what it watches, whom it tells and how it stands', async () => {
    const { card } = await page();
    await screen.findByRole('article', { name: 'Too hot' });
    await screen.findByText('East house');
    expect(screen.getAllByRole('article').map((element) => element.textContent)).toEqual([
      [
        'Too hot',
        'Raised since 21 Nov, 4:07 pm',
        'Ravi is on it',
        'See what is happening',
        'Temperature > 36.5 °C',
        'orWater Level <= 20%',
        'WhereEast house',
        'WatchesWorst reading of the place',
        'How urgentCritical: look at once',
        'Notification channelsEmail and SMS',
        'Last triggered21 Nov, 4:07 pm',
        'Repeats in30 minutes',
        'Subscribers 2a@b.in, c@d.in',
        'See the day at this time',
        'Active',
      ].join(''),
      [
        'Sour water',
        'Switched off',
        'pH < 5.5',
        'WhereWhole farm',
        'WatchesAverage of the place',
        'How urgentWarning: look soon',
        'Notification channelsIn the app only',
        'Last triggeredNever',
        'Repeats in30 minutes',
        'Subscribers 1a@b.in',
        'Inactive',
      ].join(''),
    ]);
    expect(card('Too hot').getByRole('link', { name: 'See what is happening' }).getAttribute('href')).toBe(
      `/alerts/${raisedAt}-hot`,
    );
    expect(screen.getByText('1 alert is raised.')).toBeDefined();
    expect(
      await screen.findByText(/^Email, WhatsApp and SMS are not connected on this server yet/),
    ).toBeDefined();
    expect(card('Too hot').getByRole<HTMLInputElement>('switch').checked).toBe(true);
    expect(card('Sour water').getByRole<HTMLInputElement>('switch').checked).toBe(false);
  });

  it('is the same at /notifications', async () => {
    await page({}, '/notifications');
    await screen.findByRole('article', { name: 'Too hot' });
  });

  it.each<[string, Alert['status'], string[]]>([
    ['quiet', { ...sour.status, condition: false }, ['Normal']],
    [
      'without data',
      { ...sour.status, condition: null },
      ['No data', 'The sensors it watches have sent no recent readings.'],
    ],
    [
      'about to be raised',
      { ...sour.status, condition: true, holding: { since: 0, due: 300_000 } },
      ['About to be raised', 'Conditions met for 3:40 of 5:00.'],
    ],
    [
      'raised, and its data gone',
      { ...hot.status, condition: null },
      [
        'Raised since 21 Nov, 4:07 pm',
        'No recent readings: the alert continues until readings are back to normal.',
      ],
    ],
    [
      'not known any more',
      {
        ...hot.status,
        condition: null,
        unknownSince: raisedAt + 300_000,
        waitsFor: [
          { id: 't1', name: 'North bed' },
          { id: 't2', name: 'South bed' },
        ],
      },
      [
        'Raised since 21 Nov, 4:07 pm',
        'No readings since 21 Nov, 4:12 pm.',
        'No readings from North bed and South bed. The alert stays raised until they report again or somebody removes them.',
      ],
    ],
    [
      'about to be resolved',
      { ...hot.status, condition: false, holding: { since: 215_000, due: 275_000 } },
      ['Raised since 21 Nov, 4:07 pm', 'Back to normal for 0:05 of 1:00.'],
    ],
  ])('says when one is %s', async (_, status, words) => {
    // The holds above are told from this instant.
    if (status.holding) vi.spyOn(Date, 'now').mockReturnValue(220_900);
    await page({ [`GET ${path}`]: { body: [{ ...sour, isActive: true, status }] } });
    for (const word of words) await screen.findByText(word);
  });

  it('says so when there is none, and when they could not be loaded', async () => {
    const { person, server } = await page({ [`GET ${path}`]: { status: 500, body: {} } });
    await screen.findByText('Failed to fetch alerts');
    server.table[`GET ${path}`] = { body: [] };
    await person.click(screen.getByRole('button', { name: 'Try again' }));
    await screen.findByText(/^No alerts yet/);
  });

  it('switches one by its switch', async () => {
    const { person, server, card, sent } = await page({
      [`PATCH ${path}/sour`]: { body: { ...sour, isActive: true } },
    });
    await screen.findByRole('article', { name: 'Sour water' });
    server.table[`GET ${path}`] = { body: [{ ...sour, isActive: true }, hot] };
    await person.click(card('Sour water').getByRole('switch', { name: 'Sour water: active' }));
    await waitFor(() => expect(card('Sour water').getByRole<HTMLInputElement>('switch').checked).toBe(true));
    expect(sent(`PATCH ${path}/sour`)).toEqual({ isActive: true });
    await waitFor(() => expect(document.activeElement).toBe(card('Sour water').getByRole('switch')));
  });

  it('deletes after a confirmation, and only then', async () => {
    const { person, server, card } = await page({ [`DELETE ${path}/hot`]: { status: 204 } });
    await screen.findByRole('article', { name: 'Too hot' });
    const confirm = vi.spyOn(window, 'confirm').mockReturnValue(false);
    await person.click(card('Too hot').getByRole('button', { name: 'Delete Too hot' }));
    expect(confirm).toHaveBeenCalledWith('Are you sure you want to delete this alert?');
    expect(server.calls.some(({ call }) => call.startsWith('DELETE'))).toBe(false);
    confirm.mockReturnValue(true);
    server.table[`GET ${path}`] = { body: [sour] };
    await person.click(card('Too hot').getByRole('button', { name: 'Delete Too hot' }));
    await waitFor(() => expect(screen.queryByRole('article', { name: 'Too hot' })).toBeNull());
  });

  it('lets a viewer look, without the addresses', async () => {
    await page({ 'GET /api/farms': { body: [farmAs('VIEWER')] } }, '/alerts?new');
    await screen.findByRole('article', { name: 'Too hot' });
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.queryByRole('switch')).toBeNull();
    expect(screen.queryByRole('button', { name: /Edit|Delete|Add alert/ })).toBeNull();
    expect(screen.queryByText(/a@b\.in/)).toBeNull();
    expect(screen.getAllByText('Subscribers')).toHaveLength(2);
  });
});

describe('the form', () => {
  async function form(answers: Record<string, Answer> = {}, at = '/alerts?new', name = 'Add Alert') {
    const view = await page(answers, at);
    const dialog = within(await screen.findByRole('dialog', { name }));
    return { ...view, dialog, save: () => view.person.click(dialog.getByRole('button', { name: 'Save' })) };
  }

  it('makes the default alert', async () => {
    const {
      person,
      dialog,
      save,
      sent,
      path: url,
    } = await form({ [`POST ${path}`]: { status: 201, body: hot } });
    await person.type(dialog.getByLabelText(/Alert name/), 'Alkaline');
    await person.type(dialog.getByLabelText(/^Subscribers/), 'a@b.in, , c@d.in ,');
    await person.click(await dialog.findByRole('checkbox', { name: 'Asha Patil' }));
    await save();
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(sent(`POST ${path}`)).toEqual({
      name: 'Alkaline',
      repeatsIn: 30,
      repeatUnit: 'minutes',
      isActive: true,
      channels: ['EMAIL'],
      conditions: [{ id: 'condition-1', sensor: 'pH', operator: '>', value: 7, unit: '' }],
      subscribers: [{ email: 'a@b.in' }, { email: 'c@d.in' }, { email: 'asha@farm.in' }],
      match: 'all',
      hold_sec: 120,
      clear_sec: 120,
      evidence: 'worst',
      severity: 'warning',
    });
    expect(url()).toBe('/alerts');
  });

  it('says what is missing, and goes there', async () => {
    const { person, dialog, save, server } = await form();
    await person.clear(dialog.getByLabelText(/Repeats in/, { selector: 'input' }));
    await save();
    expect(dialog.getByText('Alert name is required')).toBeDefined();
    expect(dialog.getByText('Enter a whole number of at least 1')).toBeDefined();
    expect(dialog.getByText('At least one subscriber is required')).toBeDefined();
    expect(document.activeElement).toBe(dialog.getByLabelText(/Alert name/));
    expect(server.calls.some(({ call }) => call === `POST ${path}`)).toBe(false);
  });

  it('adds and removes conditions while more than one is there, and sets the unit by the sensor', async () => {
    const { person, dialog, save, sent } = await form({ [`POST ${path}`]: { status: 201, body: hot } });
    expect(dialog.queryByRole('button', { name: /Remove condition/ })).toBeNull();
    await person.click(dialog.getByRole('button', { name: 'Add condition' }));
    expect(dialog.getAllByRole('button', { name: /Remove condition/ })).toHaveLength(2);
    await person.click(dialog.getByRole('button', { name: 'Remove condition 1' }));
    expect(dialog.queryByRole('button', { name: /Remove condition/ })).toBeNull();
    await person.selectOptions(dialog.getByLabelText('Condition 1: sensor'), 'Water Level');
    await person.selectOptions(dialog.getByLabelText('Condition 1: comparison'), '<=');
    const value = dialog.getByLabelText<HTMLInputElement>('Condition 1: value %');
    expect(value.step).toBe('0.1');
    await person.clear(value);
    await person.type(value, '20.5');
    await person.type(dialog.getByLabelText(/Alert name/), 'Low');
    await person.type(dialog.getByLabelText(/^Subscribers/), 'a@b.in');
    await save();
    await waitFor(() => expect(sent(`POST ${path}`)).toBeDefined());
    expect(sent(`POST ${path}`)).toMatchObject({
      conditions: [{ sensor: 'Water Level', operator: '<=', value: 20.5, unit: '%' }],
    });
  });

  it('edits what is there, and says that saving makes it active', async () => {
    const { person, dialog, save, sent } = await form(
      { [`PUT ${path}/sour`]: { body: sour } },
      '/alerts?edit=sour',
      'Edit Alert',
    );
    expect(dialog.getByText(/^Saving switches this alert on\./)).toBeDefined();
    expect(dialog.getByLabelText<HTMLInputElement>(/Alert name/).value).toBe('Sour water');
    await person.selectOptions(dialog.getByLabelText('Where'), 'East house / Bed');
    await person.selectOptions(dialog.getByLabelText('Watches'), 'Worst reading of the place');
    await person.selectOptions(dialog.getByLabelText('How urgent'), 'Critical: look at once');
    await person.click(dialog.getByText('More'));
    await person.clear(dialog.getByLabelText(/Raise after/, { selector: 'input' }));
    await person.type(dialog.getByLabelText(/Raise after/, { selector: 'input' }), '5');
    await person.selectOptions(dialog.getByLabelText('Raise after: unit'), 'minutes');
    await save();
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(sent(`PUT ${path}/sour`)).toMatchObject({
      isActive: true,
      hold_sec: 300,
      evidence: 'worst',
      severity: 'critical',
      scope: {
        type: 'zone',
        polyhouseId: 'p1',
        zoneId: 'z1',
        name: 'Bed',
        path: 'East house / Bed',
      },
    });
  });

  it('keeps what is typed when the alert changes behind it', async () => {
    const { person, dialog, server, cache } = await form({}, '/alerts?edit=sour', 'Edit Alert');
    await person.type(dialog.getByLabelText(/Alert name/), ' now');
    server.table[`GET ${path}`] = { body: [{ ...sour, name: 'Other' }] };
    await cache.invalidateQueries();
    expect(dialog.getByLabelText<HTMLInputElement>(/Alert name/).value).toBe('Sour water now');
  });

  it('saves only over what the person saw, and keeps what was typed on top of it', async () => {
    const current = { ...sour, severity: 'info', etag: 'v2' };
    const refused = { error: 'Changed', code: 'changed_meanwhile', changedBy: 'Ravi', changedAt: 0, current };
    const { person, dialog, save, server } = await form(
      { [`PUT ${path}/sour`]: { status: 412, body: refused } },
      '/alerts?edit=sour',
      'Edit Alert',
    );
    await person.type(dialog.getByLabelText(/Alert name/), '!');
    await save();
    expect((await dialog.findByRole('alert')).textContent).toMatch(/^Ravi changed this at/);
    server.table[`PUT ${path}/sour`] = { body: current };
    await person.click(dialog.getByRole('button', { name: 'Keep what I typed' }));
    await save();
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    const puts = server.calls.filter(({ call }) => call === `PUT ${path}/sour`);
    expect(puts.map(({ headers }) => headers['if-match'])).toEqual(['"v1"', '"v2"']);
    expect(puts[1]?.body).toMatchObject({ name: 'Sour water!', severity: 'info' });
  });

  it('shows what the server refuses where it belongs, also in what is folded away', async () => {
    const problems = [
      { path: 'hold_sec', code: 'odd', message: 'too long' },
      { path: 'conditions[0].sensor', code: 'no_sensor', message: 'no ph sensor is registered' },
      { path: 'scope.zoneId', code: 'unknown', message: 'there is no zone z1' },
      { path: 'channels', code: 'odd', message: 'no such channel' },
      { path: 'createdAt', code: 'odd', message: 'something else' },
    ];
    const { person, dialog, save } = await form({
      [`POST ${path}`]: {
        status: 422,
        body: { error: 'Some entries are not valid', code: 'invalid', problems },
      },
    });
    await person.type(dialog.getByLabelText(/Alert name/), 'x');
    await person.type(dialog.getByLabelText(/^Subscribers/), 'a@b.in');
    await save();
    await dialog.findByText('No sensor of this kind is registered at this place');
    expect(dialog.getByText('This place no longer exists')).toBeDefined();
    expect(dialog.getByText('too long')).toBeDefined();
    expect(dialog.getByText('no such channel')).toBeDefined();
    expect(dialog.getByText('Some entries are not valid something else')).toBeDefined();
    expect(dialog.getByText('More').closest('details')?.open).toBe(true);
    expect(document.activeElement).toBe(dialog.getByLabelText('Where'));
  });

  it('says when somebody deleted it meanwhile', async () => {
    const { dialog, save } = await form({}, '/alerts?edit=sour', 'Edit Alert');
    await save();
    await dialog.findByText('This alert no longer exists: somebody deleted it.');
  });

  it('offers nobody whose address the server hides', async () => {
    const hidden = [
      { ...people[0], email: 'a***@farm.in' },
      { ...people[0], id: 'u2', name: 'Ravi', email: 'r@farm.in' },
    ];
    const { dialog } = await form({ 'GET /api/farms/demo-farm-1/users': { body: { users: hidden } } });
    await dialog.findByRole('checkbox', { name: 'Ravi' });
    expect(dialog.queryByRole('checkbox', { name: 'Asha Patil' })).toBeNull();
  });

  it('says plainly that messages stay in the app for now', async () => {
    const { dialog } = await form();
    expect(dialog.getByText(/messages are kept in the app/)).toBeDefined();
  });
});
