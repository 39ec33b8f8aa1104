// What people write as an address or a number, checked as far as a form can.

const EMAIL = /^[^\s@,]+@[^\s@,.]+(\.[^\s@,.]+)+$/;
/** An optional plus, a digit that is not zero, then 1 to 14 more digits. */
const MOBILE = /^\+?[1-9]\d{1,14}$/;

export function looksLikeEmail(text: string): boolean {
  return EMAIL.test(text);
}

export function looksLikeMobile(text: string): boolean {
  return MOBILE.test(text);
}
