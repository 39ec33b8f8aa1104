// Nurseries: seedlings in trays, from sowing to transplanting.
import { cropAndVariety } from '../../api/crops';
import { day, number, words } from './column';
import { calls, type Kind, type Schemas } from './kind';
import { pill } from './pill';
import { recordsPage } from './Records';

type Nursery = Schemas['Nursery'];

const states = {
  SOWN: { tone: 'quiet', word: 'nurseries.sownState' },
  GERMINATED: { tone: 'good', word: 'nurseries.germinatedState' },
  READY: { tone: 'warn', word: 'nurseries.readyState' },
  TRANSPLANTED: { tone: 'quiet', word: 'nurseries.transplantedState' },
} as const;

export const nurseries: Kind<Nursery> = {
  list: 'nurseries',
  calls: calls('/api/farms/{farmId}/nurseries', '/api/farms/{farmId}/nurseries/{nurseryId}', 'nurseryId'),
  title: 'nav.nurseries',
  add: 'nurseries.add',
  edit: 'nurseries.edit',
  hint: 'nurseries.hint',
  dated: true,
  name: cropAndVariety,
  columns: [
    { ...words('cycles.crop', cropAndVariety), lead: true },
    words('nurseries.place', ({ place }) => place),
    pill('cycles.state', ({ state }) => state, states),
    day('cycles.sown', ({ sownOn }) => sownOn),
    number('nurseries.seeds', ({ seeds }) => seeds),
    {
      label: 'nurseries.germinated',
      text: ({ germinated, germinatedPercent }, { t, format }) =>
        germinated === null || germinatedPercent === null
          ? null
          : t('nurseries.germinatedOf', {
              number: format.count(germinated),
              percent: format.percent(germinatedPercent),
            }),
      plain: ({ germinated }) => germinated,
    },
    day('nurseries.ready', ({ readyOn }) => readyOn),
    number('nurseries.transplanted', ({ transplanted }) => transplanted),
    words('nurseries.cycle', ({ cycle }) => cycle),
  ],
  fields: [
    { kind: 'line', name: 'crop', label: 'cycles.crop', required: true },
    { kind: 'line', name: 'variety', label: 'cycles.variety' },
    { kind: 'line', name: 'place', label: 'nurseries.place' },
    { kind: 'count', name: 'trays', label: 'nurseries.trays', required: true },
    { kind: 'count', name: 'cellsPerTray', label: 'nurseries.cells', required: true },
    { kind: 'day', name: 'sownOn', label: 'cycles.sown', required: true, today: true },
    { kind: 'count', name: 'germinated', label: 'nurseries.germinated', hint: 'nurseries.germinatedHint' },
    { kind: 'day', name: 'readyOn', label: 'nurseries.ready' },
    { kind: 'count', name: 'transplanted', label: 'nurseries.transplanted' },
    { kind: 'day', name: 'transplantedOn', label: 'cycles.transplanted' },
    { kind: 'cycle', name: 'cycleId', label: 'nurseries.cycle' },
    { kind: 'lines', name: 'note', label: 'records.note' },
  ],
};

export default recordsPage(nurseries);
