// In what things are counted, in words. What is counted in whole ones has a word for one of them too (`_one`), so ask with `count`.
import type { ParseKeys } from 'i18next';
import type { Schemas } from './kind';

export const units = {
  KG: 'unitName.KG',
  G: 'unitName.G',
  L: 'unitName.L',
  ML: 'unitName.ML',
  PIECE: 'unitName.PIECE',
  PACKET: 'unitName.PACKET',
  BAG: 'unitName.BAG',
  BOX: 'unitName.BOX',
  BUNCH: 'unitName.BUNCH',
  M: 'unitName.M',
} as const satisfies Record<Schemas['Unit'], ParseKeys>;
