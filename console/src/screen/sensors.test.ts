// Sensors of one name are told apart by their numbers, which no list changes.
import { expect, it } from 'vitest';
import { numbersOf } from './sensors';

const sensor = (id: string, polyhouseId: string | undefined, name: string | null = null) => ({
  id,
  name,
  type: 'temperature' as const,
  scope: polyhouseId ? { type: 'polyhouse' as const, polyhouseId } : { type: 'farm' as const },
});
const nameOf = ({ name }: { name: string | null }) => name ?? 'Temperature';

it('are numbered within their house by their ids, and only where there are several', () => {
  const all = [
    sensor('b', 'p1'),
    sensor('a', 'p1'),
    sensor('c', 'p1', 'North wall'),
    sensor('d', 'p2'),
    sensor('e', undefined),
  ];
  const numbers = [...numbersOf(all, nameOf)].sort();
  expect(numbers).toEqual([
    ['a', 1],
    ['b', 2],
  ]);
  expect([...numbersOf(all.toReversed(), nameOf)].sort()).toEqual(numbers);
});
