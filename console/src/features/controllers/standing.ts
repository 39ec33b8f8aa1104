// What follows from what the server says of a controller.
import type { ParseKeys } from 'i18next';
import type { Controller } from '../../api/controllers';

/** Nothing was ever heard of it. What the server remembers of messages begins at its start, so that alone tells nothing. */
export function isNew({ online, offlineSince, lastSeen, firmware, sensors, devices }: Controller): boolean {
  return (
    !online && offlineSince === null && lastSeen === null && firmware === null && sensors + devices === 0
  );
}

/** It has a new password and did not connect since. */
export function isUnused({ online, offlineSince, lastSeen, createdAt, passwordAt }: Controller): boolean {
  if (online || passwordAt === null || passwordAt <= createdAt) return false;
  // The connection that a new password ends is lost a moment after it.
  return Math.max(lastSeen ?? 0, (offlineSince ?? 0) - ENDED_WITHIN_MS) < passwordAt;
}

const ENDED_WITHIN_MS = 60_000;

const reasons: Record<string, ParseKeys> = {
  topic: 'controllers.reason.topic',
  not_for_controllers: 'controllers.reason.topic',
  not_allowed: 'controllers.reason.topic',
  unknown_controller: 'controllers.reason.topic',
  malformed: 'controllers.reason.unreadable',
  too_deep: 'controllers.reason.unreadable',
  bad_device: 'controllers.reason.unreadable',
  too_large: 'controllers.reason.tooMuch',
  too_many_sensors: 'controllers.reason.tooMuch',
  too_many_things: 'controllers.reason.tooMuch',
  unit: 'controllers.reason.unit',
  unknown_type: 'controllers.reason.type',
  other_type: 'controllers.reason.type',
  bad_id: 'controllers.reason.id',
  ambiguous: 'controllers.reason.id',
  disabled: 'controllers.reason.blocked',
};

/** Why the server refused a message, in words of the farm; a reason that this console does not know is one all the same. */
export function reasonText(word: string): ParseKeys {
  return Object.hasOwn(reasons, word) ? (reasons[word] as ParseKeys) : 'controllers.reason.other';
}
