// What a record can refer to: crop cycles and items, as they stand in a list to choose from.
import { useQuery } from '@tanstack/react-query';
import { type CropCycle, cropCyclesQuery, cycleName } from '../../api/crops';
import { calls, recordsQuery, type Schemas } from './kind';

type Item = Schemas['InventoryItem'];

export { cycleName };

export const cycleCalls = {
  list: 'crop-cycles',
  calls: calls<CropCycle>(
    '/api/farms/{farmId}/crop-cycles',
    '/api/farms/{farmId}/crop-cycles/{cycleId}',
    'cycleId',
  ),
};
export const itemCalls = {
  list: 'inventory',
  calls: calls<Item>('/api/farms/{farmId}/inventory', '/api/farms/{farmId}/inventory/{itemId}', 'itemId'),
};

/** One that can be chosen; `open` where it can be chosen anew. */
export interface Choice {
  value: string;
  label: string;
  open: boolean;
}

export function useCycles(farmId: string): Choice[] {
  const { data = [] } = useQuery(cropCyclesQuery(farmId));
  return data.map((cycle) => ({ value: cycle.id, label: cycleName(cycle), open: cycle.state !== 'ENDED' }));
}

export function useItems(farmId: string): Choice[] {
  const { data = [] } = useQuery(recordsQuery<Item>(farmId, itemCalls));
  return data.map(({ id, name }) => ({ value: id, label: name, open: true }));
}
