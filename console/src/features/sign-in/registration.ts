// What a new account is made of, and what is wrong with it (spec 5).
import type { ParseKeys } from 'i18next';
import { looksLikeEmail, looksLikeMobile } from '../../api/contact';

export interface Registration {
  name: string;
  email: string;
  mobile: string;
  address: string;
  password: string;
}

export const NAME_MIN = 2;
export const PASSWORD_MIN = 8;

export type Wrong<Fields> = Partial<Record<keyof Fields, ParseKeys>>;

/** The first problem of each field. */
export function registrationProblems(given: Registration): Wrong<Registration> {
  const wrong: Wrong<Registration> = {};
  const name = given.name.trim();
  if (name === '') wrong.name = 'error.nameRequired';
  else if ([...name].length < NAME_MIN) wrong.name = 'error.nameShort';
  const email = given.email.trim();
  const mobile = given.mobile.trim();
  if (email === '' && mobile === '') wrong.email = 'error.emailRequired';
  else if (email !== '' && !looksLikeEmail(email)) wrong.email = 'error.emailInvalid';
  if (mobile !== '' && !looksLikeMobile(mobile)) wrong.mobile = 'error.mobileInvalid';
  if (given.password !== '' && given.password.length < PASSWORD_MIN) wrong.password = 'error.passwordShort';
  return wrong;
}

/** What the server is told: nothing about fields that were left empty. */
export function registrationBody(given: Registration, location?: { lat: number; lng: number }) {
  const email = given.email.trim();
  const mobile = given.mobile.trim();
  const address = given.address.trim();
  return {
    name: given.name.trim(),
    ...(email && { email }),
    ...(mobile && { mobile }),
    ...(address && { address }),
    ...(given.password && { password: given.password }),
    ...(location && { location }),
  };
}
