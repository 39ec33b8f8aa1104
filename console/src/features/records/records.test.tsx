import { screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { formatters } from '../../i18n/format';
import { texts } from '../../i18n/test-texts';
import { translator } from '../../i18n/translate';
import { farmAs, owner, serve, showConsole } from '../../test-console';
import { csv } from './csv';
import { harvests } from './harvests';

const at = (list: string) => `/api/farms/demo-farm-1/${list}`;
const cycle = { id: 'c1', crop: 'Rose', variety: 'Taj', zone: 'House 1, North', state: 'GROWING', etag: '1' };
const picked = {
  id: 'h1',
  cycleId: 'c1',
  cycle: 'Rose Taj',
  zone: 'House 1, North',
  harvestedOn: '2026-11-20',
  weightKg: 12.5,
  grade: 'A' as const,
  note: '=1+1, "quoted"',
  etag: '7',
};

function records(path: string, answers: Parameters<typeof serve>[0] = {}) {
  const server = serve({
    [`GET ${at('crop-cycles')}`]: { body: [cycle] },
    [`GET ${at('harvests')}`]: { body: [picked] },
    [`GET ${at('expenses')}`]: { body: [] },
    [`GET ${at('sales')}`]: { body: [] },
    ...answers,
  });
  const sent = (call: string) => server.calls.filter((made) => made.call === call).at(-1);
  return { ...showConsole(path, owner), server, sent };
}

it('sends an expense in paise, and null for what was left blank', async () => {
  const { person, sent } = records('/sales/expenses?new-expenses', {
    [`POST ${at('expenses')}`]: { status: 201, body: {} },
  });
  const form = within(await screen.findByRole('dialog', { name: 'Add expense' }));
  await person.click(form.getByRole('button', { name: 'Save' }));
  expect(form.getAllByText('This is required')).toHaveLength(3);
  await person.type(form.getByLabelText(/^What for/), ' Power ');
  await person.selectOptions(form.getByLabelText(/^Kind/), 'Electricity');
  await person.type(form.getByLabelText(/^Amount/), '12x');
  await person.click(form.getByRole('button', { name: 'Save' }));
  expect(form.getByText(/amount in rupees/)).toBeDefined();
  await person.clear(form.getByLabelText(/^Amount/));
  await person.type(form.getByLabelText(/^Amount/), '1,250.5');
  await person.click(form.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(sent(`POST ${at('expenses')}`)?.body).toEqual({
    what: 'Power',
    category: 'ELECTRICITY',
    spentOn: formatters('en').isoDay(new Date()),
    amountPaise: 125_050,
    cycleId: null,
    note: null,
  });
});

it('changes and deletes the version that was seen', async () => {
  const { person, sent } = records('/harvests', {
    [`PUT ${at('harvests/h1')}`]: { body: picked },
    [`DELETE ${at('harvests/h1')}`]: { status: 204 },
  });
  await person.click(await screen.findByRole('button', { name: 'Edit Rose Taj' }));
  const form = within(await screen.findByRole('dialog', { name: 'Edit harvest' }));
  await person.clear(form.getByLabelText(/^Weight/));
  await person.type(form.getByLabelText(/^Weight/), '13');
  await person.click(form.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  const put = sent(`PUT ${at('harvests/h1')}`);
  expect(put?.headers['if-match']).toBe('"7"');
  expect(put?.body).toMatchObject({ cycleId: 'c1', weightKg: 13, grade: 'A' });
  await person.click(screen.getByRole('button', { name: 'Delete Rose Taj' }));
  await person.click(await screen.findByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(sent(`DELETE ${at('harvests/h1')}`)?.headers['if-match']).toBe('"7"'));
});

it('takes the stages of a new crop from a template, and says at its field what is wrong in one', async () => {
  const range = { sensorType: 'temperature', min: 18, max: 26 };
  const stage = { name: 'Growth', days: 40, setpoints: [range] };
  const template = {
    id: 't1',
    name: 'Rose in a polyhouse',
    crop: 'Rose',
    variety: null,
    stages: [stage],
    etag: '1',
  };
  const house = { id: 'p1', name: 'House 1', zones: [{ id: 'z1', name: 'North' }] };
  const problems = [{ path: 'stages[0].setpoints[1].max', code: 'out_of_range', message: 'Too dry' }];
  const { person, sent } = records('/lifecycles?new-crop-cycles', {
    [`GET ${at('templates')}`]: { body: [template] },
    [`GET ${at('polyhouses')}`]: { body: [house] },
    [`POST ${at('crop-cycles')}`]: { status: 422, body: { error: 'No', code: 'invalid', problems } },
  });
  const form = within(await screen.findByRole('dialog', { name: 'Add crop cycle' }));
  await person.selectOptions(await form.findByLabelText(/template/), 'Rose in a polyhouse');
  expect(form.getByLabelText<HTMLInputElement>(/^Crop/).value).toBe('Rose');
  await person.selectOptions(form.getByLabelText(/^Zone/), 'North');
  await person.click(form.getByRole('button', { name: 'Add what it wants' }));
  await person.click(form.getByRole('button', { name: 'Save' }));
  expect(form.getAllByText('This is required')).toHaveLength(2);
  const [, min] = form.getAllByLabelText(/^From/);
  const [, max] = form.getAllByLabelText(/^To/);
  if (!min || !max) throw new Error('no second range');
  await person.type(min, '-1');
  await person.type(max, '१०');
  await person.click(form.getByRole('button', { name: 'Save' }));
  expect(await form.findByText('Too dry')).toBeDefined();
  expect(sent(`POST ${at('crop-cycles')}`)?.body).toMatchObject({
    stages: [{ name: 'Growth', days: 40, setpoints: [range, { sensorType: 'humidity', min: -1, max: 10 }] }],
  });
});

it('lets a viewer look at harvests, and not at what was sold', async () => {
  const viewer = { [`GET /api/farms`]: { body: [farmAs('VIEWER')] } };
  const { unmount } = records('/harvests', viewer);
  await screen.findByText('Rose Taj');
  expect(screen.queryByRole('button', { name: /^(Add|Edit|Delete)/ })).toBeNull();
  unmount();
  records('/sales/orders', viewer);
  await screen.findByText(/^Only owners, admins and farm managers/);
});

it('writes a file that spreadsheets read and run nothing from', () => {
  const text = csv([picked], harvests.columns, {
    t: translator('en', texts.en),
    format: { ...formatters('en'), celsius: String, windSpeed: String, hectopascal: String },
  });
  expect(text).toBe(
    '\uFEFFDate,Crop,Zone,Weight,Grade,Note\r\n2026-11-20,Rose Taj,"House 1, North",12.5,Grade A,"\'=1+1, ""quoted"""\r\n',
  );
});
