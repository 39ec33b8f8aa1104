import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { forgetSession } from '../../api/session';
import { farmAs, owner, serve, showConsole } from '../../test-console';

vi.setConfig({ testTimeout: 40_000 });

afterEach(() => {
  cleanup();
  forgetSession();
  vi.restoreAllMocks();
});

const at = '/api/farms/demo-farm-1';
const MAC = 'AABBCCDDEE01';
const sure = {
  at: 'AM2301/Temperature',
  key: 'Temperature',
  name: null,
  value: '21.5',
  types: ['temperature'],
  unit: '°C',
  sure: true,
  basis: 'name',
  read: false,
};
const percent = {
  ...sure,
  at: 'soil',
  key: 'soil',
  value: '41',
  types: ['humidity', 'soil_moisture'],
  unit: '%',
  sure: false,
  basis: 'unit',
};
const ec = { ...sure, at: 'ec', key: 'ec', value: '1.2', types: ['ec'], unit: null, sure: false };
const group = {
  controller: MAC,
  pattern: '{dev}/tele/SENSOR',
  topics: ['bed/tele/SENSOR', 'door/tele/SENSOR'],
  name: 'Bed',
  model: 'Generic',
  payload: '{}',
  format: 'json',
  count: 3,
  firstAt: 0,
  lastAt: 1,
  numbers: [sure, percent, ec],
};
const house = { id: 'p1', name: 'House 1', zones: [{ id: 'z1', name: 'Zone A' }] };

function farm(senders: unknown[], overflow = 0) {
  return serve({
    [`GET ${at}/unknown-senders`]: { body: { senders, overflow } },
    [`GET ${at}/controllers`]: { body: [{ macid: MAC, name: 'Zigbee', polyhouseId: null }] },
    [`GET ${at}/polyhouses`]: { body: [house] },
    [`GET ${at}/sensors`]: { body: [{ id: 'bed/AM2301/Temperature', latestValue: 22.5 }] },
    [`POST ${at}/unknown-senders/take`]: {
      status: 201,
      body: { profile: 'found-x', sensors: ['bed/AM2301/Temperature'] },
    },
    'GET /api/farms': { body: [farmAs('OWNER')] },
  });
}

const row = (name: string) => document.querySelector<HTMLElement>(`[data-number="${name}"]`) as HTMLElement;

it('a number that is sure is taken over by one tap, in its place, and its value and chart follow', async () => {
  const server = farm([group]);
  showConsole('/automation/controllers/unknown', owner);
  await screen.findByRole('heading', { name: 'Bed' });
  fireEvent.change(screen.getByLabelText('Where is it?'), { target: { value: 'zone:p1:z1' } });
  fireEvent.click(screen.getByRole('button', { name: 'Take over Temperature' }));
  expect(await screen.findByText('22.5 °C')).toBeTruthy();
  const chart = screen.getByRole('link', { name: 'Chart' });
  expect(chart.getAttribute('href')).toBe('/history?type=temperature&zone=z1');
  const sent = server.calls.filter(({ call }) => call === `POST ${at}/unknown-senders/take`);
  expect(sent.map(({ body }) => body)).toEqual([
    {
      controller: MAC,
      pattern: '{dev}/tele/SENSOR',
      topics: group.topics,
      format: 'json',
      numbers: [{ at: 'AM2301/Temperature', type: 'temperature', unit: '°C' }],
      scope: { type: 'zone', polyhouseId: 'p1', zoneId: 'z1' },
    },
  ]);
});

it('what has two meanings is asked: its type, or its unit', async () => {
  farm([group]);
  showConsole('/automation/controllers/unknown', owner);
  await screen.findByRole('heading', { name: 'Bed' });
  const take = (name: string) => within(row(name)).getByRole('button');
  expect(take('soil')).toHaveProperty('disabled', true);
  fireEvent.change(screen.getByLabelText('What soil measures'), { target: { value: 'soil_moisture' } });
  await waitFor(() => expect(take('soil')).toHaveProperty('disabled', false));
  expect(take('ec')).toHaveProperty('disabled', true);
  fireEvent.change(screen.getByLabelText('Unit of ec'), { target: { value: 'µS/cm' } });
  await waitFor(() => expect(take('ec')).toHaveProperty('disabled', false));
});

it('says what is not listed, and that nothing is unknown', async () => {
  farm([], 7);
  showConsole('/automation/controllers/unknown', owner);
  expect(await screen.findByText(/^Nothing unknown/)).toBeTruthy();
  expect(screen.getByText(/^7 more messages are not listed/)).toBeTruthy();
});
