// What a person chose in the panel, as the command that is sent.
import type { components } from '../../api/schema';
import type { ActionName } from '../../screen/device';

export type CommandRequest = components['schemas']['CommandRequest'];
export type CommandType = components['schemas']['CommandType'];

export const commandTypes = ['override', 'pulse', 'release'] as const satisfies readonly CommandType[];

/** The panel's fields. */
export interface Choice {
  type: CommandType;
  value: number;
  minutes: number;
  seconds: number;
  reason: string;
}

/** The command; a pulse and a release need no action. */
export function commandFor(deviceId: string, action: ActionName | undefined, choice: Choice): CommandRequest {
  const reason = choice.reason.trim();
  const common = { cmd_type: choice.type, device_id: deviceId, ...(reason && { reason }) };
  switch (choice.type) {
    case 'override':
      return {
        ...common,
        action: {
          mode: 'manual',
          action: action ?? null,
          ...(action !== 'on' && action !== 'off' && { value: choice.value }),
        },
        duration_sec: choice.minutes * 60,
      };
    case 'pulse':
      return { ...common, action: { mode: 'manual', duration_sec: choice.seconds } };
    case 'release':
      return { ...common, action: { mode: 'auto' }, duration_sec: 0 };
  }
}

/** Off, for what is locked or in safety mode: it needs no time, because nobody takes it over by that. */
export function switchOff(deviceId: string): CommandRequest {
  return { cmd_type: 'override', device_id: deviceId, action: { mode: 'manual', action: 'off' } };
}

/** A whole number typed into a field, if it is one between the limits. */
export function wholeBetween(text: string, min: number, max: number): number | undefined {
  if (!/^\d+$/.test(text.trim())) return undefined;
  const number = Number(text);
  return number >= min && number <= max ? number : undefined;
}
