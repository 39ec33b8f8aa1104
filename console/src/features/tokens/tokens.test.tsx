import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetSession } from '../../api/session';
import { changeLanguage } from '../../i18n/i18n';
import { type Answer, farm, farmAs, owner, serve, showConsole } from '../../test-console';

vi.setConfig({ testTimeout: 40_000 });

afterEach(async () => {
  forgetSession();
  vi.restoreAllMocks();
  await changeLanguage('en');
});

const integrations = '/api/farms/demo-farm-1/integrations';
const everybodys = '/api/farms/demo-farm-1/tokens';
const secret = `harit_${'3f09ab'.repeat(12)}`;
const token = {
  id: 't1',
  name: 'Grafana',
  start: 'harit_3f09ab',
  scope: 'READ',
  farms: ['demo-farm-1'],
  createdAt: Date.parse('2026-01-05T06:30:00Z'),
  lastUsedAt: Date.parse('2026-01-05T06:30:00Z'),
  expiresAt: null,
  expired: false,
};
const old = {
  ...token,
  id: 't2',
  name: 'Old sheet',
  scope: 'CONTROL',
  farms: [],
  lastUsedAt: null,
  expired: true,
};
const reader = {
  id: 'integration-3f09ab12cd45',
  name: 'Logger',
  enabled: true,
  createdAt: 0,
  passwordAt: 0,
  lastConnectedAt: null,
};
const mqtt = {
  address: '127.0.0.1:1883',
  username: reader.id,
  password: 'f'.repeat(64),
  topic: 'harit/1/demo-farm-1/#',
};

async function page(answers: Record<string, Answer> = {}) {
  const { table, calls } = serve({
    'GET /auth/tokens': { body: { tokens: [token, old] } },
    [`GET ${integrations}`]: { body: { integrations: [reader], endpoint: true } },
    [`GET ${everybodys}`]: { body: { tokens: [] } },
    ...answers,
  });
  const { person } = showConsole('/tokens', owner);
  await screen.findByText('Old sheet');
  const sent = (call: string) => calls.find((made) => made.call === call);
  return { person, table, calls, sent };
}

describe('/tokens', () => {
  it('says what each token may, for which farms, when it was used and until when', async () => {
    await page();
    const table = within(screen.getByRole('region', { name: 'Your tokens' }));
    expect(
      table
        .getAllByRole('row')
        .slice(1)
        .map((row) => row.textContent),
    ).toEqual([
      'Grafanaharit_3f09ab…Only lookSahyadri5 Jan 2026, 12:00 pmuntil you end itEnd',
      'Old sheetharit_3f09ab…Look and switch devicesfor no farm any moreNeverEndedEnd',
    ]);
  });

  it('makes a token after asking who it is, and shows it once', async () => {
    const other = { ...farm, id: 'demo-farm-2', name: 'Girna' };
    const { person, table, sent, calls } = await page({
      'GET /api/farms': { body: [farm, other] },
      'POST /auth/tokens': { status: 403, body: { error: 'Confirm first', code: 'confirm_needed' } },
      'POST /auth/confirm': { status: 204 },
    });
    await person.click(screen.getByRole('button', { name: 'New token' }));
    const dialog = within(await screen.findByRole('dialog'));
    await person.click(dialog.getByRole('button', { name: 'Make token' }));
    expect(dialog.getByText('Say what it is for.')).toBeDefined();
    expect(sent('POST /auth/tokens')).toBeUndefined();
    await person.type(dialog.getByLabelText(/^What is it for/), ' Sheet ');
    await person.click(dialog.getByLabelText('Look and switch devices'));
    await person.click(dialog.getByLabelText('Girna'));
    await person.click(dialog.getByLabelText('Until I end it'));
    await person.click(dialog.getByRole('button', { name: 'Make token' }));
    await person.type(await dialog.findByLabelText('Current password'), 'polyhouse-demo');
    table['POST /auth/tokens'] = { status: 201, body: { secret, token: { ...token, name: 'Sheet' } } };
    await person.click(dialog.getByRole('button', { name: 'Confirm' }));
    await screen.findByText(secret);
    expect(calls.filter(({ call }) => call === 'POST /auth/tokens').at(-1)?.body).toEqual({
      name: 'Sheet',
      scope: 'CONTROL',
      farms: ['demo-farm-1', 'demo-farm-2'],
      expiresAt: null,
    });
    await person.click(screen.getByRole('button', { name: 'I have noted them' }));
    await waitFor(() => expect(screen.queryByText(secret)).toBeNull());
  });

  it('ends a token after a question', async () => {
    const { person, sent } = await page({ 'DELETE /auth/tokens/t1': { status: 204 } });
    await person.click(screen.getByRole('button', { name: 'End token Grafana' }));
    const question = within(await screen.findByRole('dialog'));
    expect(question.getByText(/cut off at once/)).toBeDefined();
    expect(sent('DELETE /auth/tokens/t1')).toBeUndefined();
    await person.click(question.getByRole('button', { name: 'End' }));
    await waitFor(() => expect(sent('DELETE /auth/tokens/t1')).toBeDefined());
  });

  it("shows an owner everybody's tokens for the farm, and ends one here after a question", async () => {
    const theirs = {
      id: 't9',
      name: 'Home',
      ownerId: 'u2',
      ownerName: 'Ravi',
      scope: 'CONTROL',
      createdAt: token.createdAt,
      lastUsedAt: null,
      expiresAt: null,
      expired: false,
    };
    const { person, sent } = await page({
      [`GET ${everybodys}`]: { body: { tokens: [theirs] } },
      [`DELETE ${everybodys}/t9`]: { status: 204 },
    });
    const region = within(screen.getByRole('region', { name: "Everybody's tokens for this farm" }));
    const [, row] = await region.findAllByRole('row');
    expect(row?.textContent).toBe('HomeRaviLook and switch devicesNeveruntil you end itEnd');
    await person.click(region.getByRole('button', { name: 'End token Home of Ravi for this farm' }));
    const question = within(await screen.findByRole('dialog'));
    expect(sent(`DELETE ${everybodys}/t9`)).toBeUndefined();
    await person.click(question.getByRole('button', { name: 'End' }));
    await waitFor(() => expect(sent(`DELETE ${everybodys}/t9`)).toBeDefined());
  });

  it("shows an admin none of other people's tokens", async () => {
    const { calls } = await page({ 'GET /api/farms': { body: [farmAs('ADMIN')] } });
    await screen.findByText('Logger');
    expect(screen.queryByRole('region', { name: "Everybody's tokens for this farm" })).toBeNull();
    expect(calls.some(({ call }) => call === `GET ${everybodys}`)).toBe(false);
  });

  it('makes, blocks and renews an account that reads by MQTT', async () => {
    const { person, sent } = await page({
      [`POST ${integrations}`]: { status: 201, body: { integration: reader, mqtt } },
      [`PATCH ${integrations}/${reader.id}`]: { status: 204 },
      [`POST ${integrations}/${reader.id}/secret`]: { status: 201, body: { integration: reader, mqtt } },
    });
    await person.click(screen.getByRole('button', { name: 'New account' }));
    const form = within(await screen.findByRole('dialog'));
    await person.type(form.getByLabelText(/^What is it for/), 'Logger');
    await person.click(form.getByRole('button', { name: 'Save' }));
    await screen.findByText(mqtt.password);
    expect(sent(`POST ${integrations}`)?.body).toEqual({ name: 'Logger' });
    await person.click(screen.getByRole('button', { name: 'I have noted them' }));
    await waitFor(() => expect(screen.queryByText(mqtt.password)).toBeNull());
    await person.click(screen.getByRole('button', { name: /^Block.*Logger/ }));
    await person.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Block' }));
    await waitFor(() => expect(sent(`PATCH ${integrations}/${reader.id}`)?.body).toEqual({ enabled: false }));
  });

  it('says that accounts belong to the broker where there is one', async () => {
    await page({ [`GET ${integrations}`]: { body: { integrations: [], endpoint: false } } });
    expect(await screen.findByText(/uses an MQTT broker of yours/)).toBeDefined();
  });

  it('shows a viewer their tokens and no accounts of the farm', async () => {
    const { calls } = await page({ 'GET /api/farms': { body: [farmAs('VIEWER')] } });
    expect(screen.queryByRole('button', { name: 'New account' })).toBeNull();
    expect(calls.some(({ call }) => call === `GET ${integrations}`)).toBe(false);
  });
});
