// A window above the page. What it is made of comes after the page's first values.
import { later } from './later';

export const Dialog = later(async () => (await import('./DialogWindow')).DialogWindow);
