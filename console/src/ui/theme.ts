// The Mantine theme: our role tokens put under Mantine's own variables, and controls large enough for a thumb.
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';
import { dark, light, mixed, type Palette, paletteVariables, sunlight } from './tokens';

/** Indigo, from its lightest; 4 is the dark scheme's, 7 the light one's. */
const indigo: MantineColorsTuple = [
  '#f1f1fd',
  '#e7e7fa',
  '#cfd1f6',
  '#c1c6ff',
  '#b1b8ff',
  '#6f76d9',
  '#474cb8',
  '#33379c',
  '#282b80',
  '#1d1f61',
];

/** Mantine's neutral scales, in the greys of the tokens; 4 is the edge of inputs. */
const gray: MantineColorsTuple = [
  '#faf8f3',
  '#f4f1ea',
  '#eae6dc',
  '#dcd7ca',
  '#807e8c',
  '#727082',
  '#5e5d72',
  '#4c4f69',
  '#2e3150',
  '#15183a',
];
const darkScale: MantineColorsTuple = [
  '#f3f2fa',
  '#d6d6e6',
  '#b9bbd2',
  '#9094b3',
  '#666a8c',
  '#2f3250',
  '#1f2239',
  '#181a2e',
  '#121426',
  '#0e1020',
];

/** One design for both scripts, and what stands in until it is there (fonts.css, meanwhile.css). */
export const FONT = "Anek, 'Anek meanwhile', system-ui, sans-serif";

export const theme = createTheme({
  colors: { indigo, gray, dark: darkScale },
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 4 },
  autoContrast: true,
  luminanceThreshold: 0.36,
  fontFamily: FONT,
  headings: { fontFamily: FONT, fontWeight: '600' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  // By name, without importing the components: what the first page does not show must not load with the theme.
  components: {
    Button: {
      defaultProps: { size: 'md' },
      vars: (_: unknown, { variant = 'filled', color }: { variant?: string; color?: string }) => ({
        root: variant === 'filled' && !color ? { '--button-color': 'var(--h-on-brand)' } : {},
      }),
      styles: { root: { minHeight: '3rem' } },
    },
    Menu: {
      // The placeholder is a focusable element inside role="menu" that is no item: the first item takes the focus instead.
      defaultProps: { withInitialFocusPlaceholder: false },
      styles: {
        item: { minHeight: '2.75rem', fontSize: '1rem' },
        label: { fontSize: '0.875rem' },
      },
    },
    TextInput: {
      defaultProps: { size: 'md' },
      styles: { input: { minHeight: '3rem' }, label: { marginBottom: '0.25rem' } },
    },
    NativeSelect: {
      defaultProps: { size: 'md' },
      styles: { input: { minHeight: '3rem' }, label: { marginBottom: '0.25rem' } },
    },
    Textarea: {
      defaultProps: { size: 'md' },
      styles: { label: { marginBottom: '0.25rem' } },
    },
    PasswordInput: {
      defaultProps: { size: 'md' },
      styles: {
        input: { minHeight: '3rem' },
        innerInput: { minHeight: '3rem' },
        label: { marginBottom: '0.25rem' },
      },
    },
  },
});

function scheme(palette: Palette): Record<string, string> {
  return {
    ...paletteVariables(palette),
    '--mantine-color-body': palette.surface,
    '--mantine-color-text': palette.ink,
    '--mantine-color-dimmed': palette.soft,
    '--mantine-color-placeholder': palette.soft,
    '--mantine-color-disabled-color': palette.soft,
    '--mantine-color-default-border': palette.edge,
    '--mantine-color-error': palette.bad,
    '--mantine-color-anchor': palette.brand,
    '--mantine-color-indigo-filled': palette.brand,
    '--mantine-color-indigo-filled-hover': mixed(palette.brand, palette.ink, 0.3),
    '--mantine-color-gray-4': palette.edge,
  };
}

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: scheme(light),
  dark: scheme(dark),
});

/** What the scheme for the sun says otherwise than the light one, of which it is a kind. */
export const sunlightVariables = scheme(sunlight);
