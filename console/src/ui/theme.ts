// The Mantine theme: our role tokens put under Mantine's own variables, and controls large enough for a thumb.
import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';
import { dark, light, type Palette, paletteVariables } from './tokens';

const leaf: MantineColorsTuple = [
  '#e8f7ed',
  '#d3efdc',
  '#aee4c2',
  '#8fe0ac',
  '#6fd699',
  '#3fb877',
  '#178a51',
  '#0b6a3c',
  '#095731',
  '#064225',
];

/** Mantine's neutral scales, in the green-grey of the tokens; 4 is the edge of inputs. */
const gray: MantineColorsTuple = [
  '#f7faf6',
  '#f1f5ef',
  '#e3eae1',
  '#d3ddd2',
  '#7b8d82',
  '#6d8075',
  '#5a6d62',
  '#465a50',
  '#2a3b33',
  '#10201a',
];
const darkScale: MantineColorsTuple = [
  '#eef6f0',
  '#cfdcd4',
  '#aec2b6',
  '#8ba297',
  '#5f776a',
  '#2a3d33',
  '#1a2921',
  '#142019',
  '#0f1a14',
  '#0b1410',
];

export const theme = createTheme({
  colors: { leaf, gray, dark: darkScale },
  primaryColor: 'leaf',
  primaryShade: { light: 7, dark: 4 },
  autoContrast: true,
  luminanceThreshold: 0.36,
  fontFamily: "'Noto Sans', 'Noto Sans Devanagari', system-ui, sans-serif",
  headings: { fontFamily: "'Noto Sans', 'Noto Sans Devanagari', system-ui, sans-serif", fontWeight: '600' },
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
  };
}

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: scheme(light),
  dark: scheme(dark),
});
