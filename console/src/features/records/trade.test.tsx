import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetSession } from '../../api/session';
import { type Answer, type farm, farmAs, owner, serve, showConsole } from '../../test-console';

// A form is typed letter by letter, on a busy machine slowly.
vi.setConfig({ testTimeout: 40_000 });

afterEach(() => {
  forgetSession();
  vi.useRealTimers();
});

const at = '/api/farms/demo-farm-1';
const item = {
  id: 'i1',
  name: 'Cocopeat',
  category: 'MEDIA',
  unit: 'BAG',
  lowestStock: 5,
  note: null,
  stock: 2.5,
  valuePaise: 125_050,
  isLow: true,
  etag: '3',
};
const movement = {
  id: 'm1',
  itemId: 'i1',
  item: 'Cocopeat',
  kind: 'IN',
  movedOn: '2026-11-20',
  quantity: 4,
  costPaise: 200_000,
  cycleId: null,
  cycle: null,
  note: null,
  etag: '1',
};
const line = {
  what: 'Capsicum',
  grade: 'A',
  cycleId: null,
  quantity: 20.5,
  unit: 'KG',
  pricePaise: 5_555,
};
const sale = {
  id: 's1',
  buyer: 'Pune market',
  soldOn: '2026-11-20',
  lines: [line],
  totalPaise: 113_878,
  paidPaise: 50_000,
  state: 'PARTLY_PAID',
  note: null,
  etag: '7',
};

function open(path: string, answers: Record<string, Answer> = {}, role: typeof farm.role = 'OWNER') {
  const server = serve({
    'GET /api/farms': { body: [farmAs(role)] },
    [`GET ${at}/inventory`]: { body: [item] },
    [`GET ${at}/stock-movements`]: { body: [movement] },
    [`GET ${at}/sales`]: { body: [sale] },
    [`GET ${at}/crop-cycles`]: { body: [] },
    ...answers,
  });
  const sent = (call: string) => server.calls.filter((made) => made.call === call);
  return { ...showConsole(path, owner), server, sent };
}

const row = (id: string) =>
  waitFor(() => expect(document.querySelector(`[data-record="${id}"]`)).not.toBeNull());
const dialog = async (name: string) => within(await screen.findByRole('dialog', { name }));
const cells = (id: string) =>
  [...document.querySelectorAll(`[data-record="${id}"] td[data-label]`)].map((td) => td.textContent);

describe('the inventory', () => {
  it('says what there is, what is low, and what moved in its unit', async () => {
    open('/inventory');
    await row('i1');
    await waitFor(() => expect(cells('m1')[3]).toBe('4 bags'));
    expect(cells('i1')).toEqual([
      'Cocopeat',
      'Cocopeat and the like',
      '2.5 bagsLow',
      '5 bags',
      '₹1,250.50',
      '–',
    ]);
    expect(cells('m1')).toEqual(['20 Nov 2026', 'Cocopeat', 'In', '4 bags', '₹2,000', '–', '–']);
  });

  it('takes an item out in few steps: the form knows which, and asks for no cost', async () => {
    const { person, sent, router } = open('/inventory', {
      [`POST ${at}/stock-movements`]: { status: 201, body: movement },
    });
    await person.click(await screen.findByRole('button', { name: 'Take out: Cocopeat' }));
    const form = await dialog('Add movement');
    expect(form.getByText('In bags. Now in stock: 2.5 bags')).toBeDefined();
    expect(form.queryByLabelText(/^Cost/)).toBeNull();
    await person.type(form.getByLabelText(/^Quantity/), '1.25');
    const today = (form.getByLabelText(/^Date/) as HTMLInputElement).value;
    expect(today).toMatch(/^\d{4}-\d\d-\d\d$/);
    await person.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(sent(`POST ${at}/stock-movements`)).toHaveLength(1));
    expect(sent(`POST ${at}/stock-movements`)[0]?.body).toEqual({
      itemId: 'i1',
      kind: 'OUT',
      movedOn: today,
      quantity: 1.25,
      costPaise: null,
      cycleId: null,
      note: null,
    });
    await waitFor(() => expect(router.state.location.search).toBe(''));
  });

  it('asks what it cost where something came in, and sends no cost that is hidden again', async () => {
    const { person, sent } = open('/inventory', { [`PUT ${at}/stock-movements/m1`]: { body: movement } });
    await person.click(
      await screen.findByRole('button', {
        name: 'Edit Cocopeat and 20 Nov 2026',
      }),
    );
    const form = await dialog('Edit movement');
    expect((form.getByLabelText(/^Cost/) as HTMLInputElement).value).toBe('2000');
    await person.selectOptions(form.getByLabelText(/^In or out/), 'COUNT');
    expect(form.queryByLabelText(/^Cost/)).toBeNull();
    await person.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(sent(`PUT ${at}/stock-movements/m1`)).toHaveLength(1));
    const [call] = sent(`PUT ${at}/stock-movements/m1`);
    expect(call?.body).toMatchObject({ kind: 'COUNT', quantity: 4, costPaise: null });
    expect(call?.headers['if-match']).toBe('"1"');
  });

  it('shows a viewer no money, and nothing to change', async () => {
    open(
      '/inventory',
      {
        [`GET ${at}/inventory`]: { body: [{ ...item, valuePaise: null }] },
        [`GET ${at}/stock-movements`]: { body: [{ ...movement, costPaise: null }] },
      },
      'VIEWER',
    );
    await row('i1');
    await row('m1');
    for (const name of ['Value', 'Cost', 'Edit'])
      expect(screen.queryByRole('columnheader', { name })).toBeNull();
    for (const name of [/^Add/, /^Bring in/, /^Take out/, /^Edit/, /^Delete/])
      expect(screen.queryByRole('button', { name })).toBeNull();
    expect(screen.getAllByRole('button', { name: 'Export' })).toHaveLength(2);
  });
});

describe('sales', () => {
  it('says a sale in words', async () => {
    open('/sales/orders');
    await row('s1');
    expect(cells('s1')).toEqual([
      '20 Nov 2026',
      'Pune market',
      '20.5 kg Capsicum, Grade A at ₹55.55',
      '₹1,138.78',
      '₹500',
      'Partly paid',
      '–',
    ]);
  });

  it('adds lines up to the paisa, pays all of it and sends it', async () => {
    const { person, sent } = open('/sales/orders?new-sales', {
      [`POST ${at}/sales`]: { status: 201, body: sale },
    });
    const form = await dialog('Add sale');
    await person.type(form.getByLabelText(/^Buyer/), 'Pune market');
    const first = within(form.getByRole('group', { name: 'Line 1' }));
    await person.type(first.getByLabelText(/^Produce/), 'Capsicum');
    await person.type(first.getByLabelText(/^Quantity/), '20.5');
    await person.type(first.getByLabelText(/^Price/), '55.55');
    await person.selectOptions(first.getByLabelText(/^Grade/), 'A');
    // 1138.775: halves go up
    expect(form.getByRole('status').textContent).toBe('Total: ₹1,138.78');
    await person.click(form.getByRole('button', { name: 'Add a line' }));
    const second = within(form.getByRole('group', { name: 'Line 2' }));
    await person.type(second.getByLabelText(/^Produce/), 'Basil');
    await person.type(second.getByLabelText(/^Quantity/), '3');
    await person.selectOptions(second.getByLabelText(/^Counted in/), 'BUNCH');
    await person.type(second.getByLabelText(/^Price/), '10');
    await person.click(form.getByRole('button', { name: 'All paid' }));
    await person.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(sent(`POST ${at}/sales`)).toHaveLength(1));
    expect(sent(`POST ${at}/sales`)[0]?.body).toMatchObject({
      buyer: 'Pune market',
      lines: [
        { what: 'Capsicum', grade: 'A', cycleId: null, quantity: 20.5, unit: 'KG', pricePaise: 5_555 },
        { what: 'Basil', grade: null, cycleId: null, quantity: 3, unit: 'BUNCH', pricePaise: 1_000 },
      ],
      paidPaise: 116_878,
      note: null,
    });
  });

  it('says at its line what is wrong, also what the server would not take', async () => {
    const two = { ...sale, lines: [line, { ...line, what: 'Basil' }] };
    const problems = [{ path: 'lines[1].quantity', code: 'out_of_range', message: 'Too much' }];
    const { person, sent, server } = open('/sales/orders?edit-sales=s1', {
      [`GET ${at}/sales`]: { body: [two] },
      [`PUT ${at}/sales/s1`]: { status: 422, body: { error: 'Please look again', problems } },
    });
    const form = await dialog('Edit sale');
    const quantity = (nth: number) =>
      within(form.getByRole('group', { name: `Line ${nth}` })).getByLabelText(/^Quantity/);
    await person.clear(quantity(2));
    await person.click(form.getByRole('button', { name: 'Save' }));
    expect(quantity(2).getAttribute('aria-invalid')).toBe('true');
    expect(document.activeElement).toBe(quantity(2));
    expect(sent(`PUT ${at}/sales/s1`)).toEqual([]);
    await person.type(quantity(2), '7');
    await person.click(form.getByRole('button', { name: 'Save' }));
    await form.findByText('Too much');
    expect([1, 2].map((nth) => quantity(nth).getAttribute('aria-invalid'))).toEqual([null, 'true']);
    // The problem goes where its line goes.
    await person.click(form.getByRole('button', { name: 'Remove line 1' }));
    expect(quantity(1).getAttribute('aria-invalid')).toBe('true');
    server.table[`PUT ${at}/sales/s1`] = { body: sale };
    await person.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(sent(`PUT ${at}/sales/s1`)).toHaveLength(2));
    const last = sent(`PUT ${at}/sales/s1`)[1];
    expect(last?.headers['if-match']).toBe('"7"');
    expect(last?.body).toMatchObject({ lines: [{ what: 'Basil', quantity: 7 }], paidPaise: 50_000 });
  });

  it('keeps lines that somebody else changed where mine are as they were', async () => {
    const current = { ...sale, lines: [{ ...line, quantity: 99 }], etag: '8' };
    const { person, sent, server } = open('/sales/orders?edit-sales=s1', {
      [`PUT ${at}/sales/s1`]: {
        status: 412,
        body: { error: 'Changed', code: 'changed_meanwhile', changedBy: 'Ravi', changedAt: 0, current },
      },
    });
    const form = await dialog('Edit sale');
    await person.type(form.getByLabelText(/^Note/), 'by truck');
    await person.click(form.getByRole('button', { name: 'Save' }));
    await person.click(await form.findByRole('button', { name: 'Keep what I typed' }));
    server.table[`PUT ${at}/sales/s1`] = { body: sale };
    await person.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(sent(`PUT ${at}/sales/s1`)).toHaveLength(2));
    expect(sent(`PUT ${at}/sales/s1`)[1]?.body).toMatchObject({
      note: 'by truck',
      lines: [{ quantity: 99 }],
    });
  });
});

describe('the report', () => {
  const kg = { a: 20.5, b: 0, c: 0, waste: 1.2 };
  const month = {
    month: '2026-10',
    harvestedKg: kg,
    soldPaise: 10_050,
    paidPaise: 10_000,
    spentPaise: 20_000,
    boughtPaise: 5_000,
    profitPaise: -14_950,
  };
  const report = {
    months: [month, { ...month, month: '2026-11', soldPaise: 50_000, profitPaise: 25_000 }],
    cycles: [
      { cycleId: 'c1', cycle: 'Capsicum', zone: 'Bay 1', harvestedKg: kg, soldPaise: 60_050, spentPaise: 0 },
    ],
  };

  it('is a table by month with what they come to, and one by crop', async () => {
    open('/reports', { [`GET ${at}/report`]: { body: report } });
    await row('2026-10');
    const none = '–';
    expect(cells('2026-10')).toEqual([
      'Oct 2026',
      '20.5',
      none,
      none,
      '1.2',
      '₹100.50',
      '₹100',
      '₹200',
      '₹50',
      '-₹149.50',
    ]);
    const total = screen.getByRole('row', { name: /^Total/ });
    expect([...total.querySelectorAll('td')].map((td) => td.textContent)).toEqual([
      'Total',
      '41',
      none,
      none,
      '2.4',
      '₹600.50',
      '₹200',
      '₹400',
      '₹100',
      '₹100.50',
    ]);
    expect(cells('c1')).toEqual(['Capsicum', 'Bay 1', '20.5', none, none, '1.2', '₹600.50', '₹0']);
  });

  it('asks for whole months, the financial year, or everything', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2027-02-10T06:00:00Z') });
    const { person, sent } = open('/sales/reports', { [`GET ${at}/report`]: { body: report } });
    await row('2026-10');
    const period = screen.getByLabelText('Period');
    await person.selectOptions(period, 'This financial year');
    await person.selectOptions(period, 'All');
    await waitFor(() => expect(sent(`GET ${at}/report`)).toHaveLength(3));
    expect(sent(`GET ${at}/report`).map(({ query }) => query)).toEqual([
      { from: '2026-03-01', to: '2027-02-10' },
      { from: '2026-04-01', to: '2027-03-31' },
      {},
    ]);
  });

  it('becomes a file of plain numbers', async () => {
    const files: Blob[] = [];
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {});
    URL.createObjectURL = (file: Blob) => `blob:${files.push(file)}`;
    URL.revokeObjectURL = () => {};
    const { person } = open('/reports', { [`GET ${at}/report`]: { body: report } });
    await person.click(await screen.findByRole('button', { name: 'Export: By month' }));
    const text = await files[0]?.text();
    expect(text?.split('\r\n').slice(0, 2)).toEqual([
      'Month,"A, kg","B, kg","C, kg","Waste, kg",Sold,Paid,Expenses,Purchases,Profit',
      '2026-10,20.5,0,0,1.2,100.50,100,200,50,-149.50',
    ]);
  });
});

it.each(['/sales/orders', '/sales/expenses', '/sales/reports', '/reports'])(
  '%s says to a viewer who can see it, asks for nothing and is not in the menu',
  async (path) => {
    const { server } = open(path, {}, 'VIEWER');
    await screen.findByText('Only owners, admins and farm managers can see this page.');
    expect(screen.queryByRole('button', { name: 'Sales' })).toBeNull();
    expect(server.calls.filter(({ call }) => /sales|expenses|report/.test(call))).toEqual([]);
  },
);
