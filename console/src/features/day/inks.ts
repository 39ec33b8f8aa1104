// The colours of the drawing: the roles of the scheme that is on, and six that tell curves apart (each beside its own dashes).
import { useComputedColorScheme } from '@mantine/core';
import { dark, light } from '../../ui/tokens';
import type { Inks } from './paint';

/** At least 4.5 to 1 on the surface, as their names and values are written in them. */
const curves = {
  light: ['#0b6a3c', '#1d5fb4', '#9a4a00', '#7a3aa8', '#a3195b', '#0f6674'],
  dark: ['#6fd699', '#84b9ff', '#ffab66', '#cda6ff', '#ff94bf', '#6bd3e0'],
};

const inks: Record<'light' | 'dark', Inks> = {
  light: { ...light, curves: curves.light },
  dark: { ...dark, curves: curves.dark },
};

export function useInks(): Inks {
  return inks[useComputedColorScheme('light')];
}
