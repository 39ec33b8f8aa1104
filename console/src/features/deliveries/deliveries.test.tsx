import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetSession } from '../../api/session';
import { type Answer, owner, serve, showConsole } from '../../test-console';

vi.setConfig({ testTimeout: 40_000 });

afterEach(() => {
  cleanup();
  forgetSession();
  vi.restoreAllMocks();
});

const at = '/api/farms/demo-farm-1/deliveries';
const message = {
  id: 'm1',
  channel: 'SMS',
  kind: 'ALERT',
  to: '*********3210',
  name: 'Asha Patil',
  title: 'Alert: Too hot',
  times: 3,
  state: 'QUEUED',
  reason: 'away',
  answer: 'HTTP 503',
  attempts: 2,
  nextTryAt: Date.parse('2026-01-05T06:31:00Z'),
  createdAt: Date.parse('2026-01-05T06:30:00Z'),
  sentAt: null,
  changedAt: Date.parse('2026-01-05T06:30:20Z'),
};
const code = {
  ...message,
  id: 'm2',
  channel: 'EMAIL',
  kind: 'CODE',
  to: 'o***@demo.harit',
  title: '',
  times: 1,
  state: 'SENT',
  reason: null,
  answer: null,
  attempts: 1,
  nextTryAt: null,
};
const hook = {
  ...code,
  id: 'm3',
  channel: 'WEBHOOK',
  kind: 'TEST',
  to: 'webhook',
  name: null,
  state: 'FAILED',
  reason: 'over_share',
};
const channels = [
  { channel: 'EMAIL', connected: true, awaySince: null },
  { channel: 'SMS', connected: true, awaySince: Date.parse('2026-01-05T06:30:00Z') },
  { channel: 'WHATSAPP', connected: false, awaySince: null },
  { channel: 'WEBHOOK', connected: false, awaySince: null },
];

async function page(answers: Record<string, Answer> = {}) {
  const { calls } = serve({
    [`GET ${at}`]: { body: { channels, messages: [message, code, hook], months: [] } },
    ...answers,
  });
  showConsole('/deliveries', owner);
  await screen.findByRole('list', { name: 'How messages reach people' });
  return calls;
}

describe('/deliveries', () => {
  it('shows what went to whom, by what, and why it went no further', async () => {
    await page();
    const rows = screen.getAllByRole('row').slice(1);
    expect(rows.map((row) => row.textContent)).toEqual([
      'Alert: Too hotstands for 3 messagesAsha Patil*********3210SMSWaitingThe service takes nothing at the moment. It is tried again.HTTP 5032 triesNext try: 5 Jan 2026, 12:01 pm5 Jan 2026, 12:00 pm',
      'Sign-in codeAsha Patilo***@demo.haritEmailSent5 Jan 2026, 12:00 pm',
      "Test messageAddress of the server's operatorWebhookNot sentThere were too many in an hour. A message says how many.5 Jan 2026, 12:00 pm",
    ]);
    const ways = within(screen.getByRole('list', { name: 'How messages reach people' }));
    expect(ways.getByText('Takes nothing since 5 Jan 2026, 12:00 pm')).toBeDefined();
    expect(ways.getAllByText('Not connected')).toHaveLength(2);
  });

  it('says what went out by each way in a month, and what it cost', async () => {
    const months = [
      { month: '2026-02', channel: 'EMAIL', messages: 1_200, units: 1_200, paise: null },
      { month: '2026-02', channel: 'SMS', messages: 40, units: 95, paise: 1_710 },
      { month: '2026-01', channel: 'SMS', messages: 2, units: 2, paise: 36 },
    ];
    await page({ [`GET ${at}`]: { body: { channels, messages: [], months } } });
    const summary = screen.getByText('Feb 2026: 1,240 messages, ₹17.10');
    fireEvent.click(summary);
    const rows = screen.getAllByRole('row').slice(1);
    expect(rows.map((row) => row.textContent)).toEqual([
      'Feb 2026Email1,200–',
      'Feb 2026SMS4095 parts₹17.10',
      'Jan 2026SMS2₹0.36',
    ]);
  });

  it('sends a test by a way that is connected', async () => {
    const calls = await page({ [`POST ${at}/test`]: { status: 202, body: null } });
    expect(screen.queryByRole('button', { name: 'Send me a test by WhatsApp' })).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Send me a test by Email' }));
    await screen.findByText('The test is on its way to you.');
    await waitFor(() =>
      expect(calls.find(({ call }) => call === `POST ${at}/test`)?.body).toEqual({ channel: 'EMAIL' }),
    );
  });

  it('says what the server says where a test is refused', async () => {
    const said = { error: 'Verify your contact in your profile first', code: 'contact_unverified' };
    await page({ [`POST ${at}/test`]: { status: 409, body: said } });
    fireEvent.click(screen.getByRole('button', { name: 'Send me a test by Email' }));
    expect(await screen.findByText(/Verify your contact/)).toBeDefined();
  });

  it('says that nothing was sent yet', async () => {
    await page({ [`GET ${at}`]: { body: { channels, messages: [], months: [] } } });
    expect(screen.getByText('Nothing has been sent yet.')).toBeDefined();
  });
});
