// What the kinds and the results of log entries are called, and how they look.
import type { Icon } from '@tabler/icons-react';
import type { ParseKeys } from 'i18next';
import Pending from '~icon/ClockHour4';
import Other from '~icon/FileDescription';
import Manual from '~icon/HandFinger';
import Offline from '~icon/PlugConnectedX';
import Trigger from '~icon/Robot';
import Deploy from '~icon/Rocket';
import Safety from '~icon/ShieldLock';
import { type Tone, toneIcons } from '../../ui/tone';
import type { LogResult, LogType } from './queries';

export const typeWords: Record<LogType, { label: ParseKeys; icon: Icon }> = {
  manual_command: { label: 'logs.types.manual_command', icon: Manual },
  rule_trigger: { label: 'logs.types.rule_trigger', icon: Trigger },
  rule_deploy: { label: 'logs.types.rule_deploy', icon: Deploy },
  safety_override: { label: 'logs.types.safety_override', icon: Safety },
  device_offline: { label: 'logs.types.device_offline', icon: Offline },
  other: { label: 'logs.types.other', icon: Other },
};

export const resultWords: Record<LogResult, { label: ParseKeys; tone: Tone; icon: Icon }> = {
  success: { label: 'logs.results.success', tone: 'good', icon: toneIcons.good },
  failure: { label: 'logs.results.failure', tone: 'bad', icon: toneIcons.bad },
  pending: { label: 'logs.results.pending', tone: 'warn', icon: Pending },
};

/** The kinds of entry that nobody in person is behind. */
export const automatic: Record<LogType, boolean> = {
  manual_command: false,
  rule_trigger: true,
  rule_deploy: false,
  safety_override: true,
  device_offline: true,
  other: false,
};
