import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { forgetSession } from '../../api/session';
import { owner, serve, showConsole } from '../../test-console';
import { degrees } from './FarmPlace';

vi.setConfig({ testTimeout: 40_000 });

afterEach(() => {
  forgetSession();
  vi.unstubAllGlobals();
});

const at = '/api/farms/demo-farm-1';

async function form(coords?: { latitude: number; longitude: number }) {
  vi.stubGlobal('isSecureContext', true);
  vi.stubGlobal('navigator', {
    ...navigator,
    geolocation: {
      getCurrentPosition: (found: (at: { coords: unknown }) => void, failed: () => void) =>
        coords ? found({ coords }) : failed(),
    },
  });
  const server = serve({
    [`GET ${at}/polyhouses`]: { body: [] },
    [`PUT ${at}/position`]: { body: { position: null } },
  });
  const { person } = showConsole('/polyhouses?edit-position=demo-farm-1', owner);
  const dialog = within(await screen.findByRole('dialog', { name: 'Where the farm is' }));
  const sent = () => server.calls.find(({ call }) => call === `PUT ${at}/position`)?.body;
  return { person, dialog, sent };
}

it('reads degrees with a comma, a point and either minus, and nothing else', () => {
  expect(['18,5', ' 18.5 ', '-3', '−3', '', 'north'].map(degrees)).toEqual([
    18.5,
    18.5,
    -3,
    -3,
    undefined,
    undefined,
  ]);
});

it('takes where the phone is', async () => {
  const { person, dialog, sent } = await form({ latitude: 18.7234567, longitude: 73.6 });
  await person.click(dialog.getByRole('button', { name: 'Use where this phone is' }));
  await person.click(dialog.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent()).toEqual({ position: { lat: 18.7235, lng: 73.6 } }));
});

it('says that the phone does not tell, and sends neither half a place nor one that is not on earth', async () => {
  const { person, dialog, sent } = await form();
  await person.click(dialog.getByRole('button', { name: 'Use where this phone is' }));
  expect(await dialog.findByText(/The phone did not say where it is/)).toBeDefined();
  const latitude = dialog.getByLabelText(/^Latitude/);
  await person.type(latitude, '95');
  await person.click(dialog.getByRole('button', { name: 'Save' }));
  expect(dialog.getByText('A number from −90 to 90')).toBeDefined();
  await person.clear(latitude);
  await person.type(latitude, '18');
  await person.click(dialog.getByRole('button', { name: 'Save' }));
  expect(dialog.getByText('Enter both numbers, or neither')).toBeDefined();
  expect(sent()).toBeUndefined();
});
