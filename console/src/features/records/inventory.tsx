// Inventory: what lies in the store; and what came in, went and was counted.

import { itemCalls } from './chosen';
import { choice, day, money, number, words } from './column';
import { calls, type Kind, type Schemas } from './kind';
import { Pill } from './Pill';
import { units } from './unit';

type Item = Schemas['InventoryItem'];
type Movement = Schemas['StockMovement'];

const categories = {
  SEED: 'inventory.SEED',
  FERTILISER: 'inventory.FERTILISER',
  PLANT_PROTECTION: 'inventory.PLANT_PROTECTION',
  MEDIA: 'inventory.MEDIA',
  PACKAGING: 'inventory.PACKAGING',
  TOOL: 'inventory.TOOL',
  OTHER: 'inventory.OTHER',
} as const;
const kinds = { IN: 'movements.IN', OUT: 'movements.OUT', COUNT: 'movements.COUNT' } as const;

const standing = ({ isLow }: Item) =>
  isLow
    ? ({ tone: 'warn', word: 'inventory.low' } as const)
    : ({ tone: 'good', word: 'inventory.enough' } as const);

export const inventory: Kind<Item> = {
  ...itemCalls,
  title: 'nav.inventory',
  add: 'inventory.add',
  edit: 'inventory.edit',
  hint: 'inventory.hint',
  dated: false,
  name: ({ name }) => name,
  columns: [
    words('inventory.name', ({ name }) => name),
    choice('inventory.category', ({ category }) => category, categories),
    number(
      'inventory.stock',
      ({ stock }) => stock,
      ({ unit }) => units[unit],
    ),
    {
      label: 'inventory.state',
      text: (item, { t }) => t(standing(item).word),
      show: (item) => <Pill {...standing(item)} />,
    },
    number(
      'inventory.lowest',
      ({ lowestStock }) => lowestStock,
      ({ unit }) => units[unit],
    ),
    money('inventory.value', ({ valuePaise }) => valuePaise),
  ],
  fields: [
    { kind: 'line', name: 'name', label: 'inventory.name', required: true },
    { kind: 'choice', name: 'category', label: 'inventory.category', options: categories, required: true },
    { kind: 'choice', name: 'unit', label: 'inventory.unit', options: units, required: true },
    { kind: 'decimal', name: 'lowestStock', label: 'inventory.lowest' },
    { kind: 'lines', name: 'note', label: 'records.note' },
  ],
};

export const movements: Kind<Movement> = {
  list: 'stock-movements',
  calls: calls(
    '/api/farms/{farmId}/stock-movements',
    '/api/farms/{farmId}/stock-movements/{movementId}',
    'movementId',
  ),
  title: 'movements.title',
  add: 'movements.add',
  edit: 'movements.edit',
  hint: 'movements.hint',
  dated: true,
  name: ({ item }) => item,
  columns: [
    day('records.day', ({ movedOn }) => movedOn),
    words('movements.item', ({ item }) => item),
    choice('movements.kind', ({ kind }) => kind, kinds),
    number(
      'movements.quantity',
      ({ quantity }) => quantity,
      ({ unit }) => units[unit],
    ),
    money('movements.cost', ({ costPaise }) => costPaise),
    words('records.cycle', ({ cycle }) => cycle),
    words('records.note', ({ note }) => note),
  ],
  fields: [
    { kind: 'item', name: 'itemId', label: 'movements.item', required: true },
    { kind: 'choice', name: 'kind', label: 'movements.kind', options: kinds, required: true },
    { kind: 'day', name: 'movedOn', label: 'records.day', required: true, today: true },
    {
      kind: 'decimal',
      name: 'quantity',
      label: 'movements.quantity',
      hint: 'movements.quantityHint',
      required: true,
    },
    { kind: 'rupees', name: 'costPaise', label: 'movements.cost' },
    { kind: 'cycle', name: 'cycleId', label: 'records.cycle' },
    { kind: 'lines', name: 'note', label: 'records.note' },
  ],
};
