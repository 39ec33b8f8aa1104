// A state of a record, by the name of its word.
import type { ParseKeys } from 'i18next';
import { useTranslation } from 'react-i18next';
import { StatePill } from '../../ui/StatePill';
import type { Tone } from '../../ui/tone';

export function Pill({ tone, word }: { tone: Tone; word: ParseKeys }) {
  const { t } = useTranslation();
  return <StatePill tone={tone} word={t(word)} />;
}
