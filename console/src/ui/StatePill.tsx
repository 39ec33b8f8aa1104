// A state in one glance: icon, word and colour together.
import type { Icon } from '@tabler/icons-react';
import { useAsOf } from './AsOf';
import classes from './StatePill.module.css';
import { type Tone, toneIcons } from './tone';

interface Props {
  tone: Tone;
  word: string;
  /** In place of the tone's own icon. */
  icon?: Icon;
  /** It is of this moment: while the connection is gone, what was good or on is not known to be. */
  live?: boolean;
}

export function StatePill(props: Props) {
  const asOf = useAsOf();
  const doubted = props.live && (props.tone === 'good' || props.tone === 'active') && asOf !== undefined;
  const { tone, word, icon } = doubted ? { tone: 'quiet' as const, word: asOf, icon: undefined } : props;
  const Glyph = icon ?? toneIcons[tone];
  return (
    <span className={classes['pill']} data-tone={tone}>
      <Glyph size={16} stroke={2.2} aria-hidden />
      {word}
    </span>
  );
}
