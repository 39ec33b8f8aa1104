// Harvests: what was picked of a cycle on a day, by weight and grade.
import { choice, day, number, words } from './column';
import { grades } from './grades';
import { calls, type Kind, type Schemas } from './kind';
import { recordsPage } from './Records';

type Harvest = Schemas['Harvest'];

export const harvests: Kind<Harvest> = {
  list: 'harvests',
  calls: calls('/api/farms/{farmId}/harvests', '/api/farms/{farmId}/harvests/{harvestId}', 'harvestId'),
  title: 'nav.harvests',
  add: 'harvests.add',
  edit: 'harvests.edit',
  hint: 'harvests.hint',
  dated: true,
  name: ({ cycle }) => cycle,
  columns: [
    day('records.day', ({ harvestedOn }) => harvestedOn),
    { ...words('records.cycle', ({ cycle }: Harvest) => cycle), lead: true },
    words('records.zone', ({ zone }) => zone),
    number(
      'harvests.weight',
      ({ weightKg }) => weightKg,
      () => 'unitName.KG',
    ),
    choice('harvests.grade', ({ grade }) => grade, grades),
    words('records.note', ({ note }) => note),
  ],
  fields: [
    { kind: 'cycle', name: 'cycleId', label: 'records.cycle', required: true },
    { kind: 'day', name: 'harvestedOn', label: 'records.day', required: true, today: true },
    { kind: 'decimal', name: 'weightKg', label: 'harvests.weightKg', required: true },
    { kind: 'choice', name: 'grade', label: 'harvests.grade', options: grades, required: true },
    { kind: 'lines', name: 'note', label: 'records.note' },
  ],
};

export default recordsPage(harvests);
