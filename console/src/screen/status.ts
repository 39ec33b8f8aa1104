// How each status of a device looks, in the order in which the first that applies wins.
import type { Icon } from '@tabler/icons-react';
import Manual from '~icon/HandStop';
import Locked from '~icon/Lock';
import Offline from '~icon/PlugConnectedX';
import Auto from '~icon/Robot';
import Safety from '~icon/ShieldExclamation';
import type { DisplayStatus } from '../i18n/domain';
import type { Tone } from '../ui/tone';

export const statusLooks: Record<DisplayStatus, { tone: Tone; icon: Icon }> = {
  offline: { tone: 'quiet', icon: Offline },
  locked: { tone: 'bad', icon: Locked },
  manual: { tone: 'warn', icon: Manual },
  safety: { tone: 'bad', icon: Safety },
  auto: { tone: 'quiet', icon: Auto },
};
