// What the kinds of log entries are called, how they came out or how bad they are, and how that looks.
import type { Icon } from '@tabler/icons-react';
import type { ParseKeys } from 'i18next';
import Pending from '~icon/ClockHour4';
import Other from '~icon/FileDescription';
import Manual from '~icon/HandFinger';
import Info from '~icon/InfoCircle';
import Offline from '~icon/PlugConnectedX';
import Trigger from '~icon/Robot';
import Deploy from '~icon/Rocket';
import Safety from '~icon/ShieldLock';
import { type Tone, toneIcons } from '../../ui/tone';
import type { LogResult, LogType } from './filters';
import type { LogEntry } from './queries';

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

/** What is no command and bad news, or may be: an entry of it was written well, and is no success. */
const warnings = new Set([
  'rule_blocked',
  'start_skipped',
  'action_missed',
  'pulse_suppressed',
  'command_held',
  'limit_reached',
  'locked',
  'stopped',
  'safety_on',
  'device_offline',
  'controller_offline',
  'alert_raised',
  'sensor_stale',
]);

const orders = new Set(['override', 'pulse', 'release']);

/** How a command came out; of everything else how bad it is. */
export function outcomeOf({ result, details }: Pick<LogEntry, 'result' | 'details'>): {
  label: ParseKeys;
  tone: Tone;
  icon: Icon;
} {
  const isCommand = orders.has(details.kind) || details.commands.length > 0;
  if (result !== 'success' || (isCommand && !warnings.has(details.kind))) return resultWords[result];
  return warnings.has(details.kind)
    ? { label: 'logs.severity.warning', tone: 'warn', icon: toneIcons.warn }
    : { label: 'logs.severity.info', tone: 'quiet', icon: Info };
}

/** The kinds of entry that nobody in person is behind. */
export const automatic: Record<LogType, boolean> = {
  manual_command: false,
  rule_trigger: true,
  rule_deploy: false,
  safety_override: true,
  device_offline: true,
  other: false,
};
