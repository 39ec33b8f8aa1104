import { describe, expect, it } from 'vitest';
import type { RuleWords } from './domain';
import { type Format, formatters } from './format';
import type { Language } from './languages';
import { ruleWords } from './rule-words';
import { texts } from './test-texts';
import { translator } from './translate';

const sentenceIn = (language: Language, rule: RuleWords) =>
  ruleWords(translator(language, texts[language]), formatters(language) as unknown as Format).ruleSentence(
    rule,
  );

const place = { type: 'polyhouse', polyhouseId: 'p1', name: 'East' } as const;
const names = {
  rule: (id: string) => `Rule ${id}`,
  device: (id: string) => `Device ${id}`,
  setpoint: (id: string) => (id === 'day' ? 'Day' : id),
};
const actions = [
  { device: 'Valve A', action: 'on', delay_sec: 0, for_sec: 300 },
  { device: 'Valve B', action: 'on', delay_sec: 300, linger_sec: 5 },
] as const;
const hot = { sensor_type: 'temperature', operator: 'gt', value: 32 } as const;
const byClock: RuleWords = {
  trigger: {
    schedule: { at: ['06:00', { sun: 'sunset', offset_min: -20 }], catch_up_sec: 0 },
    place,
  },
  actions,
  run_sec: 600,
  names,
};
const byTree: RuleWords = {
  trigger: {
    tree: { all: [hot, { time: { from: '08:00', to: { sun: 'sunset', offset_min: 0 } } }] },
    duration_sec: 300,
    place,
  },
  actions: [actions[0]],
  names,
};

const byTarget: RuleWords = {
  trigger: {
    tree: { sensor_type: 'temperature', operator: 'gt', setpoint: 'day', offset: 2 },
    duration_sec: 60,
    place,
  },
  actions: [
    {
      device: 'Vent',
      action: 'set_position',
      value: 20,
      delay_sec: 0,
      curve: {
        sensor_type: 'temperature',
        points: [
          [24, 0],
          [32, 100],
        ],
      },
    },
  ],
  names,
};

describe('a rule with a setpoint and a curve reads', () => {
  it.each([
    [
      'en',
      'When the temperature in East is above Day + 2 °C, for 1 min, open Vent with the temperature: 0% at 24 °C to 100% at 32 °C (20% while that is not known).',
    ],
    [
      'hi',
      'जब East में तापमान Day + 2 °C से ऊपर हो, लगातार 1 मिनट, तो तापमान देखकर Vent खोलें: 24 °C पर 0% से 32 °C पर 100% तक (पता न हो तो 20%)।',
    ],
    [
      'mr',
      'East मध्ये तापमान Day + २ °C पेक्षा जास्त असल्यास (सलग १ मिनिट) तापमान पाहून Vent उघडा: २४ °C ला ०% ते ३२ °C ला १००% (माहीत नसल्यास २०%).',
    ],
  ] as const)('%s', (language, told) => {
    expect(sentenceIn(language, byTarget)).toBe(told);
  });
});

describe('a rule by the clock reads', () => {
  it.each([
    [
      'en',
      'Every day at 6:00 am and 20 min before sunset: turn on Valve A for 5 min and turn on Valve B after 5 min (5 s longer than the rule); it stops by itself after 10 min.',
    ],
    [
      'hi',
      'हर दिन सुबह 6:00 बजे और सूर्यास्त से 20 मिनट पहले: Valve A चालू करें (5 मिनट) और 5 मिनट रुककर Valve B चालू करें (नियम रुकने पर भी 5 सेकंड और); 10 मिनट चलकर अपने आप रुक जाएगा।',
    ],
    [
      'mr',
      'दररोज सकाळी ६:०० वाजता आणि सूर्यास्ताच्या २० मिनिटे आधी: ५ मिनिटे Valve A चालू करा आणि ५ मिनिटे थांबून Valve B चालू करा (नियम थांबल्यावर आणखी ५ सेकंद); १० मिनिटे झाल्यावर आपोआप थांबेल.',
    ],
  ] as const)('%s', (language, sentence) => {
    expect(sentenceIn(language, byClock)).toBe(sentence);
  });

  it('with weekdays, dates, an interval, a guard, a stop condition and what is made up for', () => {
    expect(
      sentenceIn('en', {
        ...byClock,
        actions: [{ device: 'Pump', action: 'on', delay_sec: 0 }],
        trigger: {
          schedule: {
            every: { minutes: 30, from: '08:00', to: '17:30' },
            days: ['mon', 'fri'],
            dates: { from: '02-29', to: '06-15' },
            guard: { not: { any: [{ device: 'd1', is: 'off' }, { rule: 'r2' }] } },
            if_unknown: 'run',
            catch_up_sec: 600,
          },
          place,
        },
        stop: { tree: { ...hot, hold_sec: 60 }, duration_sec: 1, place },
      }),
    ).toBe(
      'On Monday and Friday every 30 min from 8:00 am to 5:30 pm, from 29 Feb to 15 Jun, only if it is not so that (Device d1 is off or the rule “Rule r2” is running) (also if that is not known): turn on Pump; stop when the temperature in East stays above 32 °C for 1 min, after 10 min at the latest. A start that was missed is made up for within 10 min.',
    );
  });
});

describe('a tree of conditions reads', () => {
  it.each([
    [
      'en',
      'When the temperature in East is above 32 °C and it is between 8:00 am and sunset, for 5 min, turn on Valve A for 5 min.',
    ],
    [
      'hi',
      'जब East में तापमान 32 °C से ऊपर हो और समय सुबह 8:00 से सूर्यास्त के बीच हो, लगातार 5 मिनट, तो Valve A चालू करें (5 मिनट)।',
    ],
    [
      'mr',
      'East मध्ये तापमान ३२ °C पेक्षा जास्त असल्यास आणि वेळ सकाळी ८:०० ते सूर्यास्त दरम्यान असल्यास (सलग ५ मिनिटे) ५ मिनिटे Valve A चालू करा.',
    ],
  ] as const)('%s', (language, sentence) => {
    expect(sentenceIn(language, byTree)).toBe(sentence);
  });

  it('with branches in branches, weekdays and dates', () => {
    expect(
      sentenceIn('en', {
        ...byTree,
        trigger: {
          tree: {
            any: [
              { all: [{ days: ['sat', 'sun'] }, { dates: { from: '11-01', to: '02-15' } }] },
              { time: { from: '22:00', to: '05:00' }, days: ['mon'] },
            ],
          },
          duration_sec: 1,
          place,
        },
        run_sec: 60,
      }),
    ).toBe(
      'When (it is Saturday or Sunday and the date is from 1 Nov to 15 Feb) or it is between 10:00 pm and 5:00 am (beginning on Monday), turn on Valve A for 5 min. It runs for 1 min at most.',
    );
  });
});
