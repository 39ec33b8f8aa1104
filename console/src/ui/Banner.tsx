// A quiet line that says what is wrong (or what has happened) and offers the one thing to do about it.
import { Button } from '@mantine/core';
import classes from './Banner.module.css';
import { type Tone, toneIcons } from './tone';

interface Props {
  tone: Tone;
  text: string;
  action?: { label: string; run: () => void; busy?: boolean };
}

export function Banner({ tone, text, action }: Props) {
  const Glyph = toneIcons[tone];
  return (
    <div
      className={classes['banner']}
      data-tone={tone}
      role={tone === 'good' || tone === 'quiet' ? 'status' : 'alert'}
    >
      <Glyph size={22} aria-hidden />
      <p>{text}</p>
      {action && (
        <Button variant="subtle" color="var(--h-ink)" onClick={action.run} loading={action.busy ?? false}>
          {action.label}
        </Button>
      )}
    </div>
  );
}
