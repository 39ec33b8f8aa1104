import { screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { forgetSession } from '../../api/session';
import { type Answer, owner, serve, showConsole } from '../../test-console';
import { registrationProblems } from './registration';

afterEach(() => {
  forgetSession();
  Reflect.deleteProperty(navigator, 'geolocation');
});

const admission = { token: 't', user: { ...owner, onboardingCompleted: false }, firstTime: true };
const blank = { name: '', email: '', mobile: '', address: '', password: '' };
const whole = { ...blank, name: 'Asha Patil', email: 'asha@farm.in' };

describe('what is wrong with a registration', () => {
  it.each([
    [{}, {}],
    [{ name: ' ' }, { name: 'error.nameRequired' }],
    [{ name: 'A' }, { name: 'error.nameShort' }],
    [{ name: 'आशा' }, {}],
    [{ email: '' }, { email: 'error.emailRequired' }],
    [{ email: '', mobile: '9876543210' }, {}],
    [{ email: 'asha@farm' }, { email: 'error.emailInvalid' }],
    [{ mobile: '+919876543210' }, {}],
    [{ mobile: '12' }, {}],
    [{ mobile: '1' }, { mobile: 'error.mobileInvalid' }],
    [{ mobile: '0987654321' }, { mobile: 'error.mobileInvalid' }],
    [{ mobile: '1234567890123456' }, { mobile: 'error.mobileInvalid' }],
    [{ mobile: '123456789012345' }, {}],
    [{ password: '1234567' }, { password: 'error.passwordShort' }],
    [{ password: '12345678' }, {}],
  ])('%j', (change, problems) => {
    expect(registrationProblems({ ...whole, ...change })).toEqual(problems);
  });
});

async function page(register: Answer = { body: admission }) {
  const server = serve({ 'POST /auth/register': register });
  const view = showConsole('/register');
  await screen.findByRole('heading', { name: 'Create an account' });
  const type = (label: RegExp, text: string) => view.person.type(screen.getByLabelText(label), text);
  const submit = () => view.person.click(screen.getByRole('button', { name: 'Create an account' }));
  return { ...view, server, type, submit };
}

describe('/register', () => {
  it('says what is missing and sends nothing', async () => {
    const { submit, server } = await page();
    await submit();
    expect(screen.getByText('Full name is required')).toBeDefined();
    expect(screen.getByText('Email is required')).toBeDefined();
    expect(server.calls.some(({ call }) => call === 'POST /auth/register')).toBe(false);
  });

  it('sends what was filled in, and opens onboarding', async () => {
    const { type, submit, server, path } = await page();
    await type(/Full name/, ' Asha Patil ');
    await type(/Email/, 'asha@farm.in');
    await submit();
    await waitFor(() => expect(path()).toBe('/onboarding/assets'));
    expect(server.calls.find(({ call }) => call === 'POST /auth/register')?.body).toEqual({
      name: 'Asha Patil',
      email: 'asha@farm.in',
    });
    expect(localStorage.getItem('token')).toBe('t');
  });

  it('shows what the server says about a field', async () => {
    const { type, submit } = await page({
      status: 422,
      body: {
        error: 'Some entries are not valid',
        problems: [{ path: 'email', code: 'x', message: 'Taken' }],
      },
    });
    await type(/Full name/, 'Asha');
    await type(/Email/, 'asha@farm.in');
    await submit();
    expect((await screen.findByRole('alert')).textContent).toContain('Some entries are not valid');
    expect(screen.getByText('Taken')).toBeDefined();
  });

  it('falls back to its own words', async () => {
    const { type, submit } = await page({ status: 500, body: {} });
    await type(/Full name/, 'Asha');
    await type(/Email/, 'asha@farm.in');
    await submit();
    expect((await screen.findByRole('alert')).textContent).toBe('Registration failed');
  });

  it('sends the location that the browser knows', async () => {
    const { type, submit, server, person } = await page();
    Object.defineProperty(navigator, 'geolocation', {
      configurable: true,
      value: {
        getCurrentPosition: vi.fn((found) => found({ coords: { latitude: 18.15, longitude: 74.58 } })),
      },
    });
    await person.click(screen.getByRole('button', { name: 'Use my location' }));
    expect(screen.getByText('Your location is noted.')).toBeDefined();
    await type(/Full name/, 'Asha');
    await type(/Email/, 'asha@farm.in');
    await submit();
    await waitFor(() =>
      expect(server.calls.find(({ call }) => call === 'POST /auth/register')?.body).toMatchObject({
        location: { lat: 18.15, lng: 74.58 },
      }),
    );
  });

  it('says that the location could not be found', async () => {
    const { person } = await page();
    Object.defineProperty(navigator, 'geolocation', {
      configurable: true,
      value: { getCurrentPosition: vi.fn((_, failed) => failed({ code: 1 })) },
    });
    await person.click(screen.getByRole('button', { name: 'Use my location' }));
    expect(screen.getByText('Could not get your location. Please enter address manually.')).toBeDefined();
  });

  it('says that the browser knows no locations', async () => {
    const { person } = await page();
    await person.click(screen.getByRole('button', { name: 'Use my location' }));
    expect(screen.getByText('Geolocation is not supported by this browser.')).toBeDefined();
  });
});
