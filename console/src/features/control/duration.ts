// How long a person may override what the rules want.
export const MIN_MINUTES = 1;
export const DEFAULT_MINUTES = 30;

/** The longest override of a person, in minutes. */
export function maxMinutes(admin: boolean): number {
  return admin ? 999_999 : 60;
}
