// A verdict as a mark: icon, word and colour together; what is not known is hatched, and never green.
import classes from './VerdictMark.module.css';
import { type VerdictLook, verdictLooks } from './verdict';

interface Props {
  verdict: VerdictLook;
  word: string;
  large?: boolean;
}

export function VerdictMark({ verdict, word, large }: Props) {
  const { tone, icon: Glyph } = verdictLooks[verdict];
  return (
    <span className={classes['mark']} data-tone={tone} data-verdict={verdict} data-large={large || undefined}>
      <Glyph size={large ? 30 : 18} stroke={2.1} aria-hidden />
      <span>{word}</span>
    </span>
  );
}
