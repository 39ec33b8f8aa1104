// The colours by role, light and dark. A component asks for a role ("ink", "warn"), never for a colour; a test holds every
// pair that text or a state is drawn in to WCAG AA.
//
// The light scheme is made for sun on a phone: near-white ground, near-black ink. Green is both the brand and "as it should
// be"; marigold is "look at this"; red is kept for what is wrong. The navigation is the dark green of leaves in both. What is
// measured has a hue of its own: heat, water, soil.

export type Token =
  | 'ground'
  | 'surface'
  | 'sunken'
  | 'ink'
  | 'soft'
  | 'line'
  | 'edge'
  | 'brand'
  | 'onBrand'
  | 'good'
  | 'goodSoft'
  | 'warn'
  | 'warnSoft'
  | 'warnFill'
  | 'bad'
  | 'badSoft'
  | 'heat'
  | 'water'
  | 'soil'
  | 'stop'
  | 'onStop'
  | 'nav'
  | 'navInk'
  | 'navSoft'
  | 'navActive'
  | 'navOnActive'
  | 'navLine';

export type Palette = Record<Token, string>;

export const light: Palette = {
  ground: '#f1f5ef',
  surface: '#ffffff',
  sunken: '#e3eae1',
  ink: '#10201a',
  soft: '#465a50',
  line: '#d3ddd2',
  edge: '#7b8d82',
  brand: '#0b6a3c',
  onBrand: '#ffffff',
  good: '#0b6a3c',
  goodSoft: '#dcf1e2',
  warn: '#7c4a00',
  warnSoft: '#ffeec9',
  warnFill: '#c26f00',
  bad: '#a8201a',
  badSoft: '#fde4e1',
  heat: '#f3bf5c',
  water: '#1f6fb2',
  soil: '#b08968',
  stop: '#c8102e',
  onStop: '#ffffff',
  nav: '#0d2b1e',
  navInk: '#eef7f0',
  navSoft: '#a9c6b4',
  navActive: '#8fe0ac',
  navOnActive: '#08251a',
  navLine: '#24483a',
};

export const dark: Palette = {
  ground: '#0b1410',
  surface: '#142019',
  sunken: '#24352c',
  ink: '#eef6f0',
  soft: '#aec2b6',
  line: '#2a3d33',
  edge: '#72897c',
  brand: '#6fd699',
  onBrand: '#06210f',
  good: '#6fd699',
  goodSoft: '#16382a',
  warn: '#ffc757',
  warnSoft: '#3d2c08',
  warnFill: '#f0a92b',
  bad: '#ff9d94',
  badSoft: '#451916',
  heat: '#8a5a12',
  water: '#5aa9e6',
  soil: '#6b5138',
  stop: '#d9203a',
  onStop: '#ffffff',
  nav: '#08170f',
  navInk: '#eef7f0',
  navSoft: '#9dbaa8',
  navActive: '#8fe0ac',
  navOnActive: '#08251a',
  navLine: '#1c3529',
};

/** The name of a token as a CSS variable. */
export function tokenVariable(token: Token): string {
  return `--h-${token.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** A palette as CSS variables. */
export function paletteVariables(palette: Palette): Record<string, string> {
  return Object.fromEntries(
    Object.entries(palette).map(([token, colour]) => [tokenVariable(token as Token), colour]),
  );
}
