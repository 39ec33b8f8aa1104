// The schemes that a person chooses from. The one for the sun is a kind of the light one: an attribute of the page beside
// Mantine's own, remembered on this device as Mantine remembers its.
import { type MantineColorScheme, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { sunlightVariables } from './theme';
import { dark, light, type Palette, sunlight } from './tokens';

export type Scheme = MantineColorScheme | 'sunlight';

const STORED = 'sunlight';
const ATTRIBUTE = 'data-sunlight';

const listeners = new Set<() => void>();

function isSunlit(): boolean {
  return document.documentElement.hasAttribute(ATTRIBUTE);
}

function setSunlit(on: boolean): void {
  document.documentElement.toggleAttribute(ATTRIBUTE, on);
  for (const listener of listeners) listener();
}

/** Shows the scheme that was chosen here before; called once, before anything is shown. */
export function restoreScheme(): void {
  const style = document.createElement('style');
  const rules = Object.entries(sunlightVariables).map(([name, value]) => `${name}:${value};`);
  // A screen on a wall is dark, whatever was chosen: it sets Mantine's attribute.
  style.textContent = `:root[data-mantine-color-scheme="light"][${ATTRIBUTE}]{${rules.join('')}}`;
  document.head.append(style);
  setSunlit(localStorage.getItem(STORED) !== null);
}

function useSunlit(): boolean {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, isSunlit);
}

/** The scheme that was chosen, and the way to another. */
export function useScheme(): { scheme: Scheme; choose: (scheme: Scheme) => void } {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const sunlit = useSunlit();
  return {
    scheme: sunlit ? 'sunlight' : colorScheme,
    choose: (scheme) => {
      if (scheme === 'sunlight') localStorage.setItem(STORED, '1');
      else localStorage.removeItem(STORED);
      setColorScheme(scheme === 'sunlight' ? 'light' : scheme);
      setSunlit(scheme === 'sunlight');
    },
  };
}

/** The colours on screen, for what is drawn without CSS. */
export function usePalette(): Palette {
  const computed = useComputedColorScheme('light');
  const sunlit = useSunlit();
  if (computed === 'dark') return dark;
  return sunlit ? sunlight : light;
}
