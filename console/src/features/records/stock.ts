// Stock movements: what came in, went and was counted. An item says in what its quantities are.
import { choice, day, money, number, words } from './column';
import type { Item } from './inventory';
import { calls, type Kind, type Schemas } from './kind';
import { StockNow } from './StockNow';
import { units } from './units';

type Movement = Schemas['StockMovement'];

const kinds = { IN: 'stock.in', OUT: 'stock.out', COUNT: 'stock.count' } as const;

/** Movements of these items. */
export function movements(items: readonly Item[]): Kind<Movement> {
  const unitOf = new Map(items.map(({ id, unit }) => [id, unit]));
  const quantity = ({ quantity }: Movement) => quantity;
  // Items load by themselves: until then a quantity stands alone.
  const withUnit = (movement: Movement) => {
    const unit = unitOf.get(movement.itemId);
    return number('stock.quantity', quantity, unit && (() => units[unit]));
  };
  return {
    list: 'stock-movements',
    calls: calls(
      '/api/farms/{farmId}/stock-movements',
      '/api/farms/{farmId}/stock-movements/{movementId}',
      'movementId',
    ),
    title: 'stock.title',
    add: 'stock.add',
    edit: 'stock.edit',
    hint: 'stock.hint',
    dated: true,
    name: ({ item, movedOn }, { format }) => format.list([item, format.shortDay(movedOn)]),
    columns: [
      day('records.day', ({ movedOn }) => movedOn),
      { ...words('stock.item', ({ item }: Movement) => item), lead: true },
      choice('stock.kind', ({ kind }) => kind, kinds),
      {
        ...number('stock.quantity', quantity),
        text: (movement, say) => withUnit(movement).text(movement, say),
      },
      { ...choice('inventory.unit', ({ itemId }: Movement) => unitOf.get(itemId), units), fileOnly: true },
      money('stock.cost', ({ costPaise }) => costPaise),
      words('records.cycle', ({ cycle }) => cycle),
      words('records.note', ({ note }) => note),
    ],
    fields: [
      { kind: 'item', name: 'itemId', label: 'stock.item', required: true },
      { kind: 'choice', name: 'kind', label: 'stock.kind', options: kinds, required: true },
      { kind: 'day', name: 'movedOn', label: 'records.day', required: true, today: true },
      { kind: 'decimal', name: 'quantity', label: 'stock.quantity', required: true, about: StockNow },
      { kind: 'rupees', name: 'costPaise', label: 'stock.costOfAll', when: ({ kind }) => kind === 'IN' },
      { kind: 'cycle', name: 'cycleId', label: 'records.cycle' },
      { kind: 'lines', name: 'note', label: 'records.note' },
    ],
  };
}
