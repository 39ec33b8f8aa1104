// A state in one glance: icon, word and colour together.
import type { Icon } from '@tabler/icons-react';
import classes from './StatePill.module.css';
import { type Tone, toneIcons } from './tone';

interface Props {
  tone: Tone;
  word: string;
  /** In place of the tone's own icon. */
  icon?: Icon;
}

export function StatePill({ tone, word, icon }: Props) {
  const Glyph = icon ?? toneIcons[tone];
  return (
    <span className={classes['pill']} data-tone={tone}>
      <Glyph size={16} stroke={2.2} aria-hidden />
      {word}
    </span>
  );
}
