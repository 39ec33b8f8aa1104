// A step of its own on a small screen. What it is made of comes after the page's first values.
import { later } from './later';

export const Sheet = later(async () => (await import('./SheetWindow')).SheetWindow);
