// A column of states: word, icon and colour together.
import type { ParseKeys } from 'i18next';
import { StatePill } from '../../ui/StatePill';
import type { Tone } from '../../ui/tone';
import type { Column } from './kind';

export function pill<T, W extends string>(
  label: ParseKeys,
  get: (record: T) => W,
  looks: Readonly<Record<W, { tone: Tone; word: ParseKeys }>>,
): Column<T> {
  const text = (record: T, { t }: { t: (key: ParseKeys) => string }) => t(looks[get(record)].word);
  return {
    label,
    text,
    show: (record, say) => <StatePill tone={looks[get(record)].tone} word={text(record, say)} />,
  };
}
