// The units in which things are counted, by the words of the wire.
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
} as const;
export type Unit = keyof typeof units;
