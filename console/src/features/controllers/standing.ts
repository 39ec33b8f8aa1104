// What follows from what the server says of a controller.
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

const reasons = {
  topic: 'topic',
  not_for_controllers: 'topic',
  not_allowed: 'topic',
  foreign_filter: 'topic',
  foreign_will: 'will',
  no_credentials: 'password',
  bad_credentials: 'password',
  certificate: 'certificate',
  too_many_connects: 'hasty',
  too_many_sessions: 'hasty',
  unknown_controller: 'topic',
  malformed: 'unreadable',
  too_deep: 'unreadable',
  bad_device: 'unreadable',
  unsafe_lease_end: 'goesOn',
  too_large: 'tooMuch',
  too_many_sensors: 'tooMuch',
  too_many_things: 'tooMuch',
  unit: 'unit',
  not_a_number: 'number',
  no_profile: 'profile',
  nothing_read: 'profile',
  unknown_alias: 'profile',
  unknown_type: 'type',
  other_type: 'type',
  bad_id: 'id',
  ambiguous: 'id',
  disabled: 'blocked',
} as const;

/** Why the server refused a message, as texts call it; a reason that this console does not know is one all the same. */
export function reasonOf(word: string): (typeof reasons)[keyof typeof reasons] | 'other' {
  return Object.hasOwn(reasons, word) ? reasons[word as keyof typeof reasons] : 'other';
}
