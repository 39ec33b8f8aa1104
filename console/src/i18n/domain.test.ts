import { describe, expect, it } from 'vitest';
import { type ActionWord, displayStatus, operators, sensorSpecs, sensorTypes } from './domain';
import { type Format, formatters } from './format';
import type { Language } from './languages';
import { ruleWords } from './rule-words';
import { texts } from './test-texts';
import { translator } from './translate';

const wordsIn = (language: Language) =>
  ruleWords(translator(language, texts[language]), formatters(language) as unknown as Format);

const house = { type: 'polyhouse', polyhouseId: 'p1', name: 'Polyhouse 1' } as const;
const zone = { type: 'zone', polyhouseId: 'p1', zoneId: 'z1', name: 'Zone A' } as const;
const known = [{ id: 'p1', name: 'East house', zones: [{ id: 'z1', name: 'Roses' }] }];
const hot = { sensor_type: 'temperature', operator: 'gt', value: 35, duration_sec: 300 } as const;
const cool = { sensor_type: 'temperature', operator: 'lt', value: 30.5, duration_sec: 90 } as const;
const fan = { device: 'Fan 1', action: 'on', delay_sec: 0 } as const;
const rule = {
  trigger: { ...hot, place: house },
  actions: [fan],
  stop: { ...cool, place: { ...house, name: 'renamed since' } },
};

describe('a rule as a sentence', () => {
  it.each([
    [
      'en',
      'When the temperature in Polyhouse 1 stays above 35 °C for 5 min, turn on Fan 1; stop when it stays below 30.5 °C for 1 min 30 s.',
    ],
    [
      'hi',
      'जब Polyhouse 1 में तापमान 35 °C से ऊपर लगातार 5 मिनट रहे, तो Fan 1 चालू करें; और जब यह 30.5 °C से नीचे लगातार 1 मिनट 30 सेकंड रहे, तो रोक दें।',
    ],
    [
      'mr',
      'Polyhouse 1 मध्ये तापमान ३५ °C पेक्षा जास्त सलग ५ मिनिटे राहिल्यास Fan 1 चालू करा; ते ३०.५ °C पेक्षा कमी सलग १ मिनिट ३० सेकंद राहिल्यास थांबवा.',
    ],
  ] as const)('%s', (language, sentence) => {
    expect(wordsIn(language).ruleSentence(rule)).toBe(sentence);
  });

  it('names what differs in the stop condition, delays and several actions', () => {
    const words = wordsIn('en');
    expect(
      words.ruleSentence(
        {
          trigger: { ...hot, operator: 'between', value: 30, value_max: 40, place: zone },
          actions: [
            fan,
            { device: 'Vent', action: 'set_position', value: 60, delay_sec: 5 },
            { device: 'Doser', action: 'set_flow_rate', value: 2.5, delay_sec: 0 },
            { device: 'Valve', action: 'pulse', value: 30, delay_sec: 3_600 },
          ],
          stop: { sensor_type: 'humidity', operator: 'gte', value: 90, duration_sec: 1, place: zone },
        },
        known,
      ),
    ).toBe(
      'When the temperature in Roses of East house stays between 30 °C and 40 °C for 5 min, turn on Fan 1, open Vent to 60% after 5 s, set Doser to 2.5 ml/s and run Valve for 30 s after 1 h; stop when the humidity in Roses of East house stays at or above 90% for 1 s.',
    );
  });

  it('ends with the actions where nothing stops it', () => {
    expect(wordsIn('en').ruleSentence({ ...rule, stop: null })).toBe(
      'When the temperature in Polyhouse 1 stays above 35 °C for 5 min, turn on Fan 1.',
    );
  });
});

it('speaks of what was named before in its gender', () => {
  const dry = { sensor_type: 'reservoir_level', duration_sec: 60, place: { type: 'farm' } } as const;
  const told = wordsIn('mr').ruleSentence({
    trigger: { ...dry, operator: 'lt', value: 20 },
    actions: [fan],
    stop: { ...dry, operator: 'gt', value: 40 },
  });
  expect(told).toContain('टाकीतील पाणी २०% पेक्षा कमी');
  expect(told).toContain('; ते ४०% पेक्षा जास्त');
});

it('leaves open what a form does not say yet', () => {
  const words = wordsIn('en');
  expect(
    words.ruleSentence({
      trigger: { ...hot, value: Number.NaN, duration_sec: Number.NaN, place: house },
      actions: [{ device: '', action: 'set_speed', value: Number.NaN, delay_sec: 0 }],
    }),
  ).toBe('When the temperature in Polyhouse 1 stays above … °C for …, run … at …');
});

it('counts what a long list would repeat', () => {
  const actions = Array.from({ length: 6 }, (_, index) => ({ ...fan, device: `Fan ${index + 1}` }));
  const told = (count: number, language: Language) =>
    wordsIn(language).ruleSentence({ ...rule, actions: actions.slice(0, count), stop: null });
  expect(told(4, 'en')).toMatch(/, turn on Fan 1, turn on Fan 2, turn on Fan 3 and turn on Fan 4\.$/);
  expect(told(6, 'en')).toMatch(/, turn on Fan 1, turn on Fan 2, turn on Fan 3 and 3 more actions\.$/);
  expect(told(6, 'mr')).toMatch(/आणखी ३ कृती करा\.$/);
});

describe.each(['en', 'hi', 'mr'] as const)('%s', (language) => {
  it('has words for everything', () => {
    const words = wordsIn(language);
    const said = [
      ...sensorTypes.flatMap((type) => [words.quantity(type), words.amount(type, 1)]),
      ...sensorTypes.flatMap((sensor_type) =>
        operators.map((operator) =>
          words.conditionSentence(
            { sensor_type, operator, value: 1, value_max: 2, duration_sec: 60 },
            { type: 'farm' },
          ),
        ),
      ),
      ...operators.flatMap((name) => [words.operator(name), words.operatorSign(name)]),
      ...(
        ['on', 'off', 'set_speed', 'set_position', 'set_flow_rate', 'pulse', 'release'] as ActionWord[]
      ).map((action) => words.actionSentence({ device: 'Fan', action, value: 5, delay_sec: 2 })),
      ...(['fan', 'vent', 'pump', 'valve', 'dosing_pump', 'sensor'] as const).map(words.device),
      ...(['offline', 'locked', 'manual', 'safety', 'auto'] as const).map(words.status),
      ...(['farm', 'polyhouse', 'zone'] as const).map(words.placeKind),
    ];
    // A key without a text is answered with itself.
    expect(said.filter((text) => text === '' || /domain\.|\{\{/.test(text))).toEqual([]);
  });
});

it('writes durations', () => {
  const [english, hindi, marathi] = [wordsIn('en'), wordsIn('hi'), wordsIn('mr')];
  expect([0, 45, 60, 300, 3_600, 5_405].map(english.duration)).toEqual([
    '0 s',
    '45 s',
    '1 min',
    '5 min',
    '1 h',
    '1 h 30 min 5 s',
  ]);
  expect([hindi.duration(3_600), hindi.duration(7_200)]).toEqual(['1 घंटा', '2 घंटे']);
  expect([marathi.duration(60), marathi.duration(120)]).toEqual(['१ मिनिट', '२ मिनिटे']);
  expect([english, hindi, marathi].map((words) => words.progress(220.9, 300))).toEqual([
    '3:40 of 5:00',
    '5:00 में से 3:40',
    '५:०० पैकी ३:४०',
  ]);
  expect(english.progress(-5, 3_700)).toBe('0:00 of 1:01:40');
});

it('knows places by the names of now, else by those they were written with', () => {
  const words = wordsIn('en');
  expect(words.placePath(zone, known)).toBe('East house / Roses');
  expect(words.placePath(zone)).toBe('Zone A');
  expect(words.placePath({ type: 'zone', zoneId: 'z1' }, known)).toBe('East house / Roses');
  expect(words.placePath({ type: 'polyhouse', polyhouseId: 'p9' }, known)).toBe('p9');
  expect(words.placePath({ type: 'farm' })).toBe('Whole farm');
});

it('writes amounts with their units', () => {
  const words = wordsIn('en');
  expect([
    words.amount('ph', 6.55),
    words.amount('ec', 1.5),
    words.amount('light_intensity', 100_000),
    words.unit('ph'),
    words.unit('ec'),
    words.actionUnit('pulse'),
    words.actionUnit('on'),
    words.actionAmount('set_speed', 80),
    words.actionAmount('off', null),
  ]).toEqual(['6.55', '1.5 mS/cm', '1,00,000 lux', '', 'mS/cm', 's', '', '80%', '']);
});

it('has the ranges of the specification', () => {
  const first = sensorTypes.slice(0, 8);
  expect(first.map((type) => [sensorSpecs[type].min, sensorSpecs[type].max])).toEqual([
    [-10, 50],
    [0, 100],
    [0, 100],
    [0, 14],
    [0, 10],
    [0, 100],
    [0, 100_000],
    [0, 2_000],
  ]);
});

it('says of a device first what matters most', () => {
  const state = { lock: 'max_on', mode: 'manual' } as const;
  expect([
    displayStatus({ online: false, state }),
    displayStatus({ online: true, state }),
    displayStatus({ online: true, state: { ...state, lock: null } }),
    displayStatus({ online: true, state: { lock: null, mode: 'safety' } }),
    displayStatus({ online: true, state: { lock: null, mode: 'auto' } }),
  ]).toEqual(['offline', 'locked', 'manual', 'safety', 'auto']);
});
