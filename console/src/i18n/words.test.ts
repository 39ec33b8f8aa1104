// Words that mean something else to a grower than what is meant: they stay out of the texts.
import { expect, it } from 'vitest';
import hi from './hi';
import mr from './mr';

type Tree = { [key: string]: string | Tree };

function flatten(tree: Tree, prefix = ''): [string, string][] {
  return Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string'
      ? [[`${prefix}${key}`, value] as [string, string]]
      : flatten(value, `${prefix}${key}.`),
  );
}

/** A word, why it is not said, and, where it is right elsewhere, the keys in which it is wrong. */
type Banned = [word: string, why: string, where?: RegExp];

// The Devanagari letters have no word boundaries in regular expressions: words are looked for as they are.
const banned: Record<string, { texts: Tree; words: Banned[] }> = {
  hi: {
    texts: hi,
    words: [
      [
        'चालू',
        'is "switched on": a raised alert is जारी',
        /^alerts\.(noneRaised|raised|state|hold|clear|repeats)|^tile\.activeAlarms/,
      ],
      ['बंद हो', 'is "be switched off": an alert that is over is ख़त्म', /^alerts\.(clear|state\.resolved)/],
      ['रुका', 'says that the device has stopped: a rule that waits is इंतज़ार में', /^rules\.effect/],
      ['आदेश का इंतज़ार', 'waits for a command: the command is sent and its confirmation is awaited'],
      ['व्यवस्थापक', 'is the farm manager in Marathi: an admin is एडमिन'],
      ['लेखा', 'is book-keeping: the log is रिकॉर्ड'],
      ['लेखे', 'is book-keeping: the log is रिकॉर्ड'],
      ['हाथ से', 'is the switch on the panel: a command of the app is मैनुअल'],
      ['स्वचालित', 'is on no panel: ऑटो'],
      ['फिर अपने आप', 'says nothing: फिर ऑटो पर'],
      ['मिली/से ', 'reads "from"'],
      ['(मिली/से)', 'reads "from"'],
      ['संपत्ति', 'is property: what is registered is a यूनिट'],
      ['किस्म', 'is the variety of a crop', /^tasks\./],
      ['आँकड़े', 'are statistics: what a sensor sends is रीडिंग'],
      ['माप नहीं', 'what a sensor sends is रीडिंग'],
      ['खेत', 'is one field: the farm is फ़ार्म'],
      ['निमंत्रण', 'an invite is न्योता'],
      ['सुरक्षा से ऊपर', 'nothing a person does stands above locks and safety mode'],
    ],
  },
  mr: {
    texts: mr,
    words: [
      [
        'चालू',
        'is "switched on": a raised alert is जारी',
        /^alerts\.(noneRaised|raised|state|hold|clear|repeats)|^tile\.activeAlarms/,
      ],
      ['चालू', 'is "switched on": a rule at work काम करत आहे', /^rules\.(phase\.running|editor\.running)/],
      ['थांबले', 'says that the device has stopped: a rule that waits is प्रतीक्षेत', /^rules\.effect/],
      ['आदेशाची वाट', 'waits for a command: the command is sent and its confirmation is awaited'],
      ['नियम काढ', 'is to issue a rule: हटवा'],
      ['काढून टाक', 'one word for deleting: हटवा'],
      ['गाळणी', 'is the strainer of the drip'],
      ['कधी कधी', 'is "sometimes"'],
      ['निरीक्षक', 'is an inspector, who has powers'],
      ['प्रशासक', 'is a government administrator'],
      ['मागण्या', 'are the demands of a union: ऑर्डर'],
      ['मालमत्ता', 'is property: what is registered is a युनिट'],
      ['सुरक्षा अडथळा', 'is an obstacle to safety'],
      ['हाताने', 'is the switch on the panel: a command of the app is मॅन्युअल'],
      ['स्वयंचलित', 'is on no panel: ऑटो'],
      ['पुन्हा आपोआप', 'says nothing: पुन्हा ऑटोवर', /^domain\.action/],
      ['आणीबाणी', 'is first of all the year 1975: इमर्जन्सी'],
      ['हरितगृह', 'is the word of subsidy forms: पॉलीहाऊस'],
      ['विभाग', 'is a department: झोन'],
      ['मोजमाप', 'is measuring land: रीडिंग'],
      ['खोटी', 'is a lie: a condition is पूर्ण or मोडली', /^rules\./],
      ['या उपकरण', 'उपकरण is a fan or pump, never a phone', /^(profile|header)\./],
      ['सुरक्षेच्या वर', 'nothing a person does stands above locks and safety mode'],
    ],
  },
};

it.each(Object.keys(banned))('%s says no word that means something else', (language) => {
  const { texts, words } = banned[language] as (typeof banned)[string];
  const flat = flatten(texts);
  const found = words.flatMap(([word, why, where]) =>
    flat
      .filter(([key, text]) => (!where || where.test(key)) && text.includes(word))
      .map(([key, text]) => `${key}: “${text}”: ${word} ${why}`),
  );
  expect(found).toEqual([]);
  // A rule for a key that is gone would hold nothing.
  const idle = words.filter(([, , where]) => where && !flat.some(([key]) => where.test(key)));
  expect(idle).toEqual([]);
});
