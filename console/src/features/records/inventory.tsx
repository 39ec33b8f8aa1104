// Inventory: what lies in the store. How much there is follows from the movements.
import { StatePill } from '../../ui/StatePill';
import { itemCalls } from './chosen';
import { choice, money, number, words } from './column';
import type { Kind, Schemas } from './kind';
import classes from './Records.module.css';
import { units } from './units';

export type Item = Schemas['InventoryItem'];

const categories = {
  SEED: 'inventory.seed',
  FERTILISER: 'inventory.fertiliser',
  PLANT_PROTECTION: 'inventory.plantProtection',
  MEDIA: 'inventory.media',
  PACKAGING: 'inventory.packaging',
  TOOL: 'inventory.tool',
  OTHER: 'inventory.other',
} as const;

const unit = (item: Item) => units[item.unit];
const stock = number('inventory.stock', (item: Item) => item.stock, unit);

export const inventory: Kind<Item> = {
  ...itemCalls,
  title: 'inventory.title',
  add: 'inventory.add',
  edit: 'inventory.edit',
  hint: 'inventory.hint',
  dated: false,
  name: ({ name }) => name,
  columns: [
    { ...words('inventory.name', ({ name }: Item) => name), lead: true },
    choice('inventory.category', ({ category }) => category, categories),
    {
      ...stock,
      show: (item, say) => (
        <span className={classes['state']}>
          {stock.text(item, say)}
          {item.isLow && <StatePill tone="warn" word={say.t('inventory.low')} />}
        </span>
      ),
    },
    { ...choice('inventory.unit', ({ unit }: Item) => unit, units), fileOnly: true },
    number('inventory.lowestStock', ({ lowestStock }) => lowestStock, unit),
    money('inventory.value', ({ valuePaise }) => valuePaise),
    words('records.note', ({ note }) => note),
  ],
  fields: [
    { kind: 'line', name: 'name', label: 'inventory.name', required: true },
    { kind: 'choice', name: 'category', label: 'inventory.category', options: categories, required: true },
    { kind: 'choice', name: 'unit', label: 'inventory.unit', options: units, required: true },
    {
      kind: 'decimal',
      name: 'lowestStock',
      label: 'inventory.lowestStock',
      hint: 'inventory.lowestStockHint',
    },
    { kind: 'lines', name: 'note', label: 'records.note' },
  ],
};
