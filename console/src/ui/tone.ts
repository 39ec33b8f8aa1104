// How a state feels, apart from what it says: decides colour and icon together, so that colour never stands alone.
import type { Icon } from '@tabler/icons-react';
import Bad from '~icon/AlertCircle';
import Warn from '~icon/AlertTriangle';
import Check from '~icon/CircleCheck';
import Dash from '~icon/CircleDashed';
import Dot from '~icon/CircleDot';

/** `good` is what is as it should be; `active` only says that something is on. */
export type Tone = 'good' | 'active' | 'warn' | 'bad' | 'quiet';

export const toneIcons: Record<Tone, Icon> = {
  good: Check,
  active: Dot,
  warn: Warn,
  bad: Bad,
  quiet: Dash,
};
