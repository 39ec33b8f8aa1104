import { describe, expect, it } from 'vitest';
import base from './en';
import users from './en/users.json';
import { asLanguage, languages, nextLanguage } from './languages';
import { flatten, texts } from './test-texts';

const { en, hi, mr } = texts;
const holes = (text: string) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name).sort();
const english = flatten(en);

describe.each([
  ['hi', hi],
  ['mr', mr],
] as const)('%s', (_, tree) => {
  const flat = new Map(flatten(tree));

  it('has the keys of English, in its order', () => {
    expect([...flat.keys()]).toEqual(english.map(([key]) => key));
  });

  it('fills in the same values', () => {
    const different = english.filter(
      ([key, text]) => String(holes(text)) !== String(holes(flat.get(key) ?? '')),
    );
    expect(different).toEqual([]);
  });

  it('is not English', () => {
    // What may be the same in all languages: names of quantities, signs of units and patterns without words.
    const same = english.filter(
      ([key, text]) =>
        !key.startsWith('domain.amount.') &&
        flat.get(key) === text &&
        /[a-z]{3}/i.test(text.replaceAll(/\{\{\w+\}\}/g, '')),
    );
    expect(same.map(([key]) => key)).toEqual(['unit.hectopascal', 'unit.kilopascal', 'palette.keys']);
  });
});

/** What is written with the digits of its maker, or of a telephone. */
const otherDigits = /Zigbee2MQTT|\+91\d+|\{\{\w+\}\}/g;

it('writes numbers in the digits of its language', () => {
  const wrong = (tree: typeof en, digits: RegExp) =>
    flatten(tree).filter(([, text]) => digits.test(text.replaceAll(otherDigits, '')));
  expect(wrong(mr, /[0-9]/)).toEqual([]);
  expect(wrong(hi, /[०-९]/)).toEqual([]);
});

// `words.duration` writes “1 घंटा”, “५ मिनिटे”: what follows may not ask for another case (docs/glossary.tsv, "after N min").
it('puts nothing behind a length of time that asks for another case', () => {
  const wrong = (tree: typeof en, behind: RegExp) => flatten(tree).filter(([, text]) => behind.test(text));
  expect(wrong(hi, /\{\{(?:duration|run)\}\} (तक|के|में|से|को|बाद|पर)( |$)/)).toEqual([]);
  expect(wrong(mr, /\{\{(?:duration|run)\}\} ?(नंतर|पासून|पर्यंत|साठी|मध्ये|पैकी|बद्दल|च्या|नी)/)).toEqual([]);
});

it('counts once as once in Marathi', () => {
  expect(flatten(mr).filter(([key, text]) => key.endsWith('_one') && /वेळा(?!\p{L})/u.test(text))).toEqual([]);
});

it('has no empty text', () => {
  for (const tree of [en, hi, mr]) expect(flatten(tree).filter(([, text]) => text.trim() === '')).toEqual([]);
});

it('has the texts of the specification in English', () => {
  expect(base.error).toMatchObject({
    network: 'Network error. Please try again.',
    networkCheck: 'Network error. Please check your connection and try again.',
    login: 'Login failed',
    register: 'Registration failed',
    fetchUser: 'Failed to fetch user data',
    completeOnboarding: 'Failed to complete onboarding',
    saveAssets: 'Failed to save assets',
    fetchAssets: 'Failed to fetch assets',
    sendInvite: 'Failed to send invite',
    fetchInvites: 'Failed to fetch invites',
    fetchInvite: 'Failed to fetch invite',
    acceptInvite: 'Failed to accept invite',
    sendOtp: 'Failed to send OTP',
    resendOtp: 'Failed to resend OTP',
    verifyOtp: 'Failed to verify OTP',
    invalidOtp: 'Invalid OTP',
    invalidCode: 'Invalid or expired code',
    location: 'Could not get your location. Please enter address manually.',
    noGeolocation: 'Geolocation is not supported by this browser.',
    contactRequired: 'Email or mobile number is required',
    passwordRequired: 'Password is required',
    otpIncomplete: 'Please enter the complete 6-digit OTP',
    nameRequired: 'Full name is required',
    nameShort: 'Name must be at least 2 characters',
    emailRequired: 'Email is required',
    emailInvalid: 'Invalid email format',
    mobileInvalid: 'Invalid mobile number format',
    passwordShort: 'Password must be at least 8 characters',
    assetType: 'Asset type is required',
    macRequired: 'Controller MAC ID is required',
    macInvalid: 'Invalid MAC ID format (e.g., AA:BB:CC:DD:EE:FF or AABBCCDDEEFF)',
    assetsRequired: 'At least one asset is required',
    roleRequired: 'Role is required',
    languageRequired: 'Language preference is required',
  });
  expect([base.app.loading, base.signIn.sent, base.emailCode.sent, base.setup.assetsAdded]).toEqual([
    'Loading...',
    'OTP Sent!',
    'If the email exists, we sent a code.',
    'Assets Added Successfully!',
  ]);
  expect([base.setup.inviteSent, base.setup.skipTitle, base.setup.skipYes, base.setup.skipNo]).toEqual([
    'Invite sent successfully to {{contact}}',
    'Skip User Invitations?',
    'Yes, Continue',
    'Go Back',
  ]);
  expect([users.users.edit, users.users.confirmDelete]).toEqual([
    'Edit User',
    'Are you sure you want to delete this user?',
  ]);
});

it.each([
  ['navigation', ['Just now', 'Mark all as read', 'Clear all', 'Profile Settings', 'Sign Out']],
  ['tasks', ['Open', 'In progress', 'In review', 'Closed']],
  ['people', ['Active', 'Inactive', 'N/A', 'Forgot your password?']],
  [
    'alerts',
    ['Alerts & Notifications', 'Edit Alert', 'Never', 'Are you sure you want to delete this alert?'],
  ],
  [
    'rules',
    ['No automation rules', 'Create Your First Rule', 'Create New Rule', 'Enable', 'Disable', 'Disabled'],
  ],
  ['rules', ['Deployed', 'Draft', 'Priority {{value}}', 'Are you sure you want to delete this rule?']],
  ['control', ['Override (Manual Control)', 'Pulse (Temporary Action)', 'Release (Return to Auto)']],
  ['control', ['Value (%)', 'Duration (minutes)', 'Reason', 'Select a Device']],
  ['control', ['Device offline', 'Device locked (safety override)', 'Safety mode - admin access required']],
  ['control', ['Loading devices...', 'Command Successful', 'Command Failed', 'Command Pending']],
  ['control', ['Failed to send command']],
  ['logs', ['Type', 'Result', 'Start Date', 'End Date', 'Clear Filters', 'Loading automation logs...']],
  ['logs', ['Timestamp', 'Action', 'Device/Rule', 'User', 'Scope', 'Previous', 'Next', 'No logs found']],
  ['logs', ['Showing {{shown}} of {{total}} logs', 'Showing {{first}} to {{last}} of {{entries}} results']],
  ['logs', ['Try adjusting your filters to see more results.']],
  ['logs', ['Automation activity will appear here as it happens.']],
])('has the words of the specification for %s: %j', (_, wanted) => {
  const said = new Set(english.map(([, text]) => text));
  expect(wanted.filter((text) => !said.has(text))).toEqual([]);
});

it('goes through the languages in a circle', () => {
  expect(languages.map(nextLanguage)).toEqual(['hi', 'mr', 'en']);
  expect(asLanguage('mr')).toBe('mr');
  expect(asLanguage('de')).toBeUndefined();
});
