import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { keys } from '../../api/keys';
import { forgetSession } from '../../api/session';
import { type Answer, farm, owner, serve, showConsole } from '../../test-console';
import type { Rule } from './queries';
import { draft, fan, houses, running } from './samples';

// A form is typed letter by letter, on a busy machine slowly.
vi.setConfig({ testTimeout: 40_000 });

// The editor loads with its page: on a busy machine longer than a test waits.
beforeAll(() => import('./RuleEditor'), 60_000);

afterEach(() => {
  forgetSession();
  vi.restoreAllMocks();
});

const path = '/api/farms/demo-farm-1/rules';
const both: Rule = {
  ...draft,
  id: 'rule-3',
  name: 'Hot days',
  trigger: {
    all: [
      { sensor_type: 'temperature', operator: 'gt', value: 32, hold_sec: null },
      { time: { from: '08:00', to: { sun: 'sunset', offset_min: 0 } }, hold_sec: null },
    ],
    duration_sec: 300,
  },
};
const deep: Rule = {
  ...both,
  etag: 'v2',
  trigger: {
    any: [
      {
        all: [
          { days: ['sat'], hold_sec: null },
          { rule: 'rule-1', hold_sec: null },
        ],
        hold_sec: null,
      },
      { days: ['sun'], hold_sec: null },
    ],
    duration_sec: 1,
  },
};
const DEEP = /When \(it is Saturday and the rule “Cool East” is running\) or it is Sunday, run Fan 1 at 40%/;

async function edit(rule: Rule, answers: Record<string, Answer> = {}) {
  const { calls } = serve({
    [`GET ${path}`]: { body: [running, rule] },
    'GET /api/farms/demo-farm-1/devices': { body: [fan] },
    'GET /api/farms/demo-farm-1/polyhouses': { body: houses },
    'GET /api/farms/demo-farm-1/conditions': { body: [] },
    'POST /api/farms/demo-farm-1/check-rule': { body: { trigger: null, stop: null, hazards: [], found: [] } },
    ...answers,
  });
  const shown = showConsole(`/automation/rules?edit=${rule.id}`, owner);
  return { ...shown, sent: (call: string) => calls.filter((made) => made.call === call) };
}

const sentence = () => document.querySelector('[data-sentence] > div')?.textContent;
/** A word of the sentence, or the button that adds to it: the summary has buttons of the same names. */
const word = (name: RegExp) => {
  const section = document.querySelector('[data-sentence]')?.parentElement;
  return within(section as HTMLElement).getByRole('button', { name });
};
const save = (name = 'Save as draft') => screen.getByRole('button', { name });
type Person = Awaited<ReturnType<typeof edit>>['person'];
async function ask(person: Person, name: RegExp) {
  await person.click(word(name));
  return within(await screen.findByRole('dialog'));
}

describe('a program in the editor', () => {
  it('is the sentence of the list, whose conditions can be changed and taken away', async () => {
    const put = `PUT ${path}/rule-3`;
    const { person, sent } = await edit(both, { [put]: { body: both } });
    await screen.findByRole('heading', { level: 1, name: 'Edit Rule' });
    expect(sentence()).toBe(
      'When the temperature in East is above 32 °C and it is between 8:00 am and sunset, for 5 min, run Fan 1 at 40%.',
    );
    const tools = await ask(person, /^When \(2\), From/);
    await person.click(tools.getByRole('button', { name: 'More about this condition' }));
    await person.click(tools.getByRole('button', { name: 'Remove this condition' }));
    // One comparison alone is what it was before there were programs.
    expect(sentence()).toBe('When the temperature in East stays above 32 °C for 5 min, run Fan 1 at 40%.');
    await person.click(save());
    await screen.findByRole('heading', { level: 1, name: 'Automation Rules' });
    expect(sent(put)[0]?.body).toMatchObject({
      trigger: { sensor_type: 'temperature', operator: 'gt', value: 32, duration_sec: 300 },
    });
  });

  it('shows what the server says of a branch at its word, and leads there', async () => {
    const problems = [
      { path: 'trigger.all[0].sensor_type', code: 'no_sensor', message: 'none' },
      { path: 'trigger.all[1].time.to', code: 'required', message: 'to is required' },
      { path: 'actions[0].for_sec', code: 'out_of_range', message: 'too long', min: 1, max: 86_400 },
    ];
    const { person } = await edit(both, {
      [`PUT ${path}/rule-3`]: { status: 422, body: { error: 'Wrong', code: 'invalid', problems } },
    });
    await screen.findByRole('heading', { level: 1, name: 'Edit Rule' });
    await person.click(save());
    const summary = within(await screen.findByRole('alert'));
    summary.getByText('When, Sensor type: There is no such sensor here or nearby');
    summary.getByText('Action 1, For how long: It must be from 1 to 86,400');
    await person.click(summary.getByText('When (2), Until: This is required'));
    expect(document.activeElement).toBe(word(/^When \(2\), Until: sunset This is required/));
  });

  it('that is deeper than the form is shown, and nothing of it can be changed here', async () => {
    await edit({ ...deep, etag: 'v1' });
    await screen.findByRole('heading', { level: 1, name: 'Hot days' });
    screen.getByText(DEEP);
    expect(document.querySelector('form')).toBeNull();
  });

  it.each(['refused', 'listed'])(
    'that somebody made deeper meanwhile is not put into fields: %s',
    async (how) => {
      const put = `PUT ${path}/rule-3`;
      const refused = {
        error: 'Changed',
        code: 'changed_meanwhile',
        changedBy: 'Ravi',
        changedAt: 0,
        current: deep,
      };
      const { person, cache, sent } = await edit(both, { [put]: { status: 412, body: refused } });
      await screen.findByRole('heading', { level: 1, name: 'Edit Rule' });
      const name = screen.getByRole('textbox', { name: 'Name' }) as HTMLInputElement;
      await person.clear(name);
      await person.type(name, 'Mine');
      if (how === 'refused') await person.click(save());
      else cache.setQueryData<Rule[]>(keys.rules(farm.id), [running, deep]);
      await screen.findByText(/what you typed cannot be put into it/);
      screen.getByText(DEEP);
      // What was typed is there still, and nothing is sent over it.
      expect(name.value).toBe('Mine');
      expect(sentence()).toContain('is above 32 °C');
      expect(screen.queryByRole('button', { name: 'Keep what I typed' })).toBeNull();
      await person.click(screen.getByRole('button', { name: 'Show the other version' }));
      await screen.findByRole('heading', { level: 1, name: 'Hot days' });
      screen.getByText(DEEP);
      expect(document.querySelector('form')).toBeNull();
      expect(sent(put)).toHaveLength(how === 'refused' ? 1 : 0);
    },
  );

  it('by the clock asks for what nobody may choose for the person', async () => {
    const put = `PUT ${path}/rule-2`;
    const { person, sent } = await edit(draft, { [put]: { body: draft } });
    await screen.findByRole('heading', { level: 1, name: 'Edit Rule' });
    await person.click(screen.getByRole('button', { name: 'At a time' }));
    expect(sentence()).toBe('Every day at 6:00 am: run Fan 1 at 40%; it stops by itself after how long?.');
    await person.click(word(/^Condition or time/));
    await person.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Only if …' }));
    await person.click(
      within(await screen.findByRole('dialog')).getByRole('button', { name: 'Another rule that is running' }),
    );
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await person.click(save());
    const told = within(await screen.findByRole('alert'))
      .getAllByRole('button')
      .map(({ textContent }) => textContent);
    expect(told).toEqual([
      'Only if, Another rule that is running: This is required',
      'When, If that is not known: This is required',
      'How long it runs: This is required',
    ]);
    expect(sent(put)).toEqual([]);
    // A rule cannot wait for itself.
    const rules = await ask(person, /^Only if, Another rule/);
    expect(rules.queryByRole('button', { name: 'Dry East' })).toBeNull();
    await person.click(rules.getByRole('button', { name: 'Cool East' }));
    await person.click(
      (await ask(person, /^When, If that/)).getByRole('button', { name: /^Then it starts/ }),
    );
    await person.click((await ask(person, /^How long it runs/)).getByRole('button', { name: '5 min' }));
    await person.click(save());
    await screen.findByRole('heading', { level: 1, name: 'Automation Rules' });
    expect(sent(put)[0]?.body).toMatchObject({
      run_sec: 300,
      trigger: { schedule: { at: ['06:00'], guard: { rule: 'rule-1' }, if_unknown: 'run', catch_up_sec: 0 } },
    });
  });
});
