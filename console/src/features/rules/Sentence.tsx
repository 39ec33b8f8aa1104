// The rule as a sentence whose underlined words are buttons: a tap opens the one choice for its word.
import { UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Phrase, Slot } from '../../i18n/domain';
import { woven } from '../../i18n/phrase';
import { useRuleWords } from '../../i18n/rule-words';
import { secondsIn } from '../../screen/condition/span';
import { Choice } from '../../ui/Choice';
import type { FarmThings } from './farm';
import { clearSec, type RuleForm } from './form';
import type { Hazard, Sight } from './queries';
import type { Sensor } from './recipes';
import classes from './Sentence.module.css';
import { SlotChoice } from './SlotChoice';
import { isOpen, pathOf, pathsOf } from './slots';
import { useFieldName, useHazardText, useWordName } from './wording';
import { wordsOf } from './words';

interface Props {
  form: RuleForm;
  things: FarmThings;
  /** All of the farm, where that is known. */
  sensors: readonly Sensor[] | undefined;
  hazards: readonly Hazard[];
  trigger: Sight | null | undefined;
  stop: Sight | null | undefined;
}

const prompts: Partial<
  Record<Slot['name'], 'device' | 'value' | 'duration' | 'rule' | 'days' | 'unknown' | 'moment'>
> = {
  device: 'device',
  rule: 'rule',
  days: 'days',
  unknown: 'unknown',
  moment: 'moment',
  from: 'moment',
  to: 'moment',
  dates: 'days',
  hold: 'duration',
  minutes: 'duration',
  late: 'duration',
  run: 'duration',
  lasts: 'duration',
  linger: 'duration',
  value: 'value',
  max: 'value',
  amount: 'value',
  curve: 'value',
  duration: 'duration',
  delay: 'duration',
};

/** What is wrong with a part of what a word stands for: of a moment, a curve, or what is added to a setpoint. */
const problemWithin = (path: string, errors: RuleForm['errors']) =>
  Object.entries(errors).find(
    ([at]) => at.startsWith(`${path}.`) || at === path.replace(/\.setpoint$/, '.offset'),
  )?.[1];

/** Where a word stands: no two stand at one place. */
const keyOf = ({ of, nth, name }: Slot) => `${of} ${nth ?? ''} ${name}`;

/** What belongs to the word before it. */
const MARKS = /^[.,;।]+/u;

export function Sentence({ form, things, sensors, hazards, ...sights }: Props) {
  const { t } = useTranslation();
  const words = useRuleWords();
  const fieldName = useFieldName();
  const wordName = useWordName();
  const hazardText = useHazardText(things);
  // By its place in the sentence: the words change while one chooses.
  const [opened, setOpened] = useState<string>();
  const fields = form.values;
  const warned = hazards.flatMap((hazard) =>
    pathsOf(hazard, fields).map((path) => ({ path, text: hazardText(hazard) })),
  );
  const slotOf = (part: Slot) => {
    const path = pathOf(part, fields);
    const key = keyOf(part);
    const problem = form.errors[path] ?? problemWithin(path, form.errors);
    const warning = warned.find((each) => each.path === path)?.text;
    const prompt = isOpen(part) && prompts[part.name];
    const text = prompt ? t(`rules.open.${prompt}`) : part.text;
    const about = problem ? String(problem) : warning;
    const close = () => setOpened(undefined);
    const alone = part.of === 'trigger' || part.of === 'stop' ? part.of : undefined;
    return (
      <Choice
        opened={opened === key}
        onClose={close}
        title={wordName(path)}
        closeLabel={t('form.close')}
        target={
          <UnstyledButton
            className={classes['slot'] ?? ''}
            data-path={path}
            data-slot={part.name}
            data-open={prompt ? '' : undefined}
            data-wrong={problem ? '' : undefined}
            data-warned={warning ? '' : undefined}
            aria-label={t('rules.slot', {
              field: fieldName(path),
              text,
              about: about ? ` ${about}` : '',
            }).trim()}
            aria-haspopup="dialog"
            onClick={() => setOpened(opened === key ? undefined : key)}
          >
            {text}
          </UnstyledButton>
        }
      >
        <SlotChoice
          slot={part}
          path={path}
          form={form}
          things={things}
          sensors={sensors}
          sight={alone && sights[alone]}
          onDone={close}
        />
      </Choice>
    );
  };
  const show = (phrase: Phrase) =>
    phrase.map((part, at) => {
      const before = phrase[at - 1];
      const after = phrase[at + 1];
      if (typeof part === 'string') {
        const words = typeof before === 'object' ? part.replace(MARKS, '') : part;
        // biome-ignore lint/suspicious/noArrayIndexKey: plain words have no identity but their place in the sentence
        return <span key={at}>{words}</span>;
      }
      const mark = typeof after === 'string' ? MARKS.exec(after)?.[0] : undefined;
      return (
        <span key={keyOf(part)} className={classes['kept']}>
          {slotOf(part)}
          {mark}
        </span>
      );
    });
  return (
    <div className={classes['sentence']} data-sentence>
      <div>{show(words.rulePhrase(wordsOf(fields, things), things.houses))}</div>
      {fields.starts === 'condition' && !fields.stops && (
        <div>
          {show(
            woven((holes) => t('rules.sentence.noStop', holes), {
              stops: [
                {
                  of: 'stop',
                  name: 'stops',
                  text: t('rules.sentence.whenFalse', { duration: words.duration(clearSec(fields)) }),
                },
              ],
            }),
          )}
        </div>
      )}
      {fields.starts !== 'condition' && secondsIn(fields.schedule.catch_up_sec) === 0 && (
        <div>
          {show(
            woven((holes) => t('rules.program.missed', holes), {
              late: [{ of: 'clock', name: 'late', text: t('rules.program.lateNone') }],
            }),
          )}
        </div>
      )}
    </div>
  );
}
