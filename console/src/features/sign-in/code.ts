// The six boxes of a one-time code as plain data.

export const CODE_LENGTH = 6;

/** No digit yet. */
export const emptyCode: readonly string[] = Array.from({ length: CODE_LENGTH }, () => '');

/** Types or pastes into a box: digits only, and several fill the boxes from that one on. Returns where the cursor goes. */
export function typeInto(
  code: readonly string[],
  box: number,
  typed: string,
): { code: string[]; next: number } {
  const digits = asciiDigits(typed).slice(0, CODE_LENGTH - box);
  if (digits.length === 0) {
    // Emptying a box is typing too; letters change nothing.
    return { code: typed === '' ? code.map((digit, at) => (at === box ? '' : digit)) : [...code], next: box };
  }
  const filled = code.map((digit, at) => digits[at - box] ?? digit);
  return { code: filled, next: Math.min(box + digits.length, CODE_LENGTH - 1) };
}

/** Digits, Devanagari ones included: a Marathi keyboard may send them. */
function asciiDigits(text: string): string[] {
  const digits: string[] = [];
  for (const letter of text) {
    const point = letter.codePointAt(0) ?? 0;
    if (point >= 0x30 && point <= 0x39) digits.push(letter);
    else if (point >= 0x966 && point <= 0x96f) digits.push(String(point - 0x966));
  }
  return digits;
}

/** The whole code, if every box is filled. */
export function wholeCode(code: readonly string[]): string | undefined {
  return code.every((digit) => digit !== '') ? code.join('') : undefined;
}

/** The whole code, if its last missing digit came just now: it is sent by itself then. */
export function completedBy(before: readonly string[], now: readonly string[]): string | undefined {
  return wholeCode(before) === undefined ? wholeCode(now) : undefined;
}
