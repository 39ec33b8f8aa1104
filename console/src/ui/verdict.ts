// How a verdict looks: an icon and a tone for each word. Green is for "well" and nothing else.
import type { Icon } from '@tabler/icons-react';
import Danger from '~icon/AlertOctagon';
import OutOfRange from '~icon/AlertTriangle';
import Well from '~icon/CircleCheck';
import NotSetUp from '~icon/CircleDashed';
import ByHand from '~icon/HandStop';
import NotKnown from '~icon/HelpHexagon';

export type VerdictTone = 'well' | 'danger' | 'warn' | 'unknown' | 'none';

export const verdictLooks = {
  not_known: { tone: 'unknown', icon: NotKnown },
  danger: { tone: 'danger', icon: Danger },
  out_of_range: { tone: 'warn', icon: OutOfRange },
  by_hand: { tone: 'warn', icon: ByHand },
  well: { tone: 'well', icon: Well },
  not_set_up: { tone: 'none', icon: NotSetUp },
} as const satisfies Record<string, { tone: VerdictTone; icon: Icon }>;

export type VerdictLook = keyof typeof verdictLooks;
