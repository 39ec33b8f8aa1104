// Which digits numbers are written with in Hindi and Marathi, as the person chose on this device; and how digits are read, which
// is in both.
import { useSyncExternalStore } from 'react';
import { type Language, locales } from './languages';

export type Digits = 'latin' | 'devanagari';

const STORED = 'digits';
const systems: Record<Digits, string> = { latin: 'latn', devanagari: 'deva' };
const listeners = new Set<() => void>();

/** What was chosen; undefined where the language decides. */
export function chosenDigits(): Digits | undefined {
  const stored = localStorage.getItem(STORED);
  return stored === 'latin' || stored === 'devanagari' ? stored : undefined;
}

export function chooseDigits(digits: Digits): void {
  localStorage.setItem(STORED, digits);
  for (const listener of listeners) listener();
}

export function useChosenDigits(): Digits | undefined {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, chosenDigits);
}

/** The digits that a language is written with: English has one kind. */
export function digitsOf(language: Language, chosen: Digits | undefined): Digits {
  if (language === 'en') return 'latin';
  return chosen ?? (language === 'mr' ? 'devanagari' : 'latin');
}

/** The locale of numbers and dates. */
export function localeOf(language: Language, chosen: Digits | undefined): string {
  return `${locales[language]}-u-nu-${systems[digitsOf(language, chosen)]}`;
}

/** Text with its Devanagari digits as Latin ones. */
export function latinDigits(typed: string): string {
  return typed.replaceAll(/[०-९]/g, (digit) => String(digit.charCodeAt(0) - 0x0966));
}

const NUMBERS = 'input:is([type=number], [type=tel], [inputmode=numeric], [inputmode=decimal])';

/** Lets every field for a number take both digits: a browser's own take Latin ones alone. */
export function takeBothDigits(): void {
  document.addEventListener('beforeinput', (event) => {
    const { data, target, isComposing } = event;
    if (isComposing || !data || latinDigits(data) === data) return;
    if (!(target instanceof HTMLInputElement) || !target.matches(NUMBERS)) return;
    event.preventDefault();
    // The one way to type for somebody that keeps the way back (Ctrl+Z) and tells whoever listens.
    document.execCommand('insertText', false, latinDigits(data));
  });
}
