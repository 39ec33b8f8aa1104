// The colours by role, in three schemes: light, dark, and for the sun outside. A component asks for a role ("ink", "warn"),
// never for a colour; a test holds every pair that text or a state is drawn in to a contrast.
//
// The ground is the warm white of khadi, and what is written or can be pressed is indigo. Green says "as it should be" and
// nothing else; marigold is "look at this"; red is kept for what is wrong. What is measured has a hue of its own: heat, water,
// air, light, feed, acid, gas.

export type Token =
  | 'ground'
  | 'surface'
  | 'sunken'
  | 'ink'
  | 'soft'
  | 'line'
  | 'edge'
  | 'brand'
  | 'brandSoft'
  | 'onBrand'
  | 'good'
  | 'goodSoft'
  | 'warn'
  | 'warnSoft'
  | 'warnFill'
  | 'bad'
  | 'badSoft'
  // What is filled in drawings.
  | 'heat'
  | 'heatDeep'
  | 'water'
  | 'soil'
  // Lines, and words in them.
  | 'inkHeat'
  | 'inkWater'
  | 'inkAir'
  | 'inkLight'
  | 'inkFeed'
  | 'inkAcid'
  | 'inkGas'
  // The logo's air, the same in every scheme.
  | 'logo'
  | 'logoDeep'
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
  ground: '#f4f1ea',
  surface: '#ffffff',
  sunken: '#eae6dc',
  ink: '#15183a',
  soft: '#4c4f69',
  line: '#dcd7ca',
  edge: '#807e8c',
  brand: '#33379c',
  brandSoft: '#e7e7fa',
  onBrand: '#ffffff',
  good: '#0b6a3c',
  goodSoft: '#daf0e1',
  warn: '#774600',
  warnSoft: '#ffedc2',
  warnFill: '#b96900',
  bad: '#a5152f',
  badSoft: '#fde3e5',
  heat: '#ffb765',
  heatDeep: '#f2874a',
  water: '#2f7fc4',
  soil: '#8a6547',
  inkHeat: '#b03f0c',
  inkWater: '#155fa8',
  inkAir: '#0b6b74',
  inkLight: '#766000',
  inkFeed: '#7034a6',
  inkAcid: '#a81d66',
  inkGas: '#5c5348',
  logo: '#ffb765',
  logoDeep: '#f2814a',
  stop: '#c8102e',
  onStop: '#ffffff',
  nav: '#191b45',
  navInk: '#f4f2ff',
  navSoft: '#b7b9e0',
  navActive: '#ffffff',
  navOnActive: '#191b45',
  navLine: '#33366e',
};

export const dark: Palette = {
  ground: '#0e1020',
  surface: '#181a2e',
  sunken: '#272a44',
  ink: '#f3f2fa',
  soft: '#b9bbd2',
  line: '#2f3250',
  edge: '#7f83a3',
  brand: '#b1b8ff',
  brandSoft: '#2a2e5a',
  onBrand: '#12153a',
  good: '#6fd699',
  goodSoft: '#16382a',
  warn: '#ffc757',
  warnSoft: '#3d2c08',
  warnFill: '#f0a92b',
  bad: '#ff9fa3',
  badSoft: '#4a1621',
  heat: '#8f4a16',
  heatDeep: '#a5431a',
  water: '#4a96da',
  soil: '#5e4633',
  inkHeat: '#ff9e6b',
  inkWater: '#7db8ff',
  inkAir: '#5fd0d8',
  inkLight: '#e6cd54',
  inkFeed: '#cda6ff',
  inkAcid: '#ff92bf',
  inkGas: '#c9bdac',
  logo: '#ffb765',
  logoDeep: '#f2814a',
  stop: '#d9203a',
  onStop: '#ffffff',
  nav: '#0a0b1a',
  navInk: '#f4f2ff',
  navSoft: '#a9acd2',
  navActive: '#dfe0ff',
  navOnActive: '#12153a',
  navLine: '#272a52',
};

/** As much contrast as there is, for a phone in the sun: black on white, every edge drawn. */
export const sunlight: Palette = {
  ground: '#ffffff',
  surface: '#ffffff',
  sunken: '#ececec',
  ink: '#000000',
  soft: '#2b2b2b',
  line: '#6e6e6e',
  edge: '#000000',
  brand: '#14178a',
  brandSoft: '#dedfff',
  onBrand: '#ffffff',
  good: '#004d26',
  goodSoft: '#d2f5df',
  warn: '#573200',
  warnSoft: '#ffe9ad',
  warnFill: '#8a4b00',
  bad: '#85001c',
  badSoft: '#ffdfe2',
  heat: '#ffb765',
  heatDeep: '#ff9a55',
  water: '#0a5cb0',
  soil: '#6b4526',
  inkHeat: '#852a00',
  inkWater: '#003f85',
  inkAir: '#004a52',
  inkLight: '#4f4000',
  inkFeed: '#511a85',
  inkAcid: '#820047',
  inkGas: '#40382f',
  logo: '#ffb765',
  logoDeep: '#f2814a',
  stop: '#a80020',
  onStop: '#ffffff',
  nav: '#000000',
  navInk: '#ffffff',
  navSoft: '#ffffff',
  navActive: '#ffffff',
  navOnActive: '#000000',
  navLine: '#3d3d3d',
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

/** A colour on its way to another: 0 is itself, 1 the other. */
export function mixed(from: string, to: string, part: number): string {
  const channel = (at: number) => {
    const [a = 0, b = 0] = [from, to].map((colour) => Number.parseInt(colour.slice(at, at + 2), 16));
    return Math.round(a + (b - a) * part)
      .toString(16)
      .padStart(2, '0');
  };
  return `#${[1, 3, 5].map(channel).join('')}`;
}
