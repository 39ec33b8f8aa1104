// Templates: the stages of a crop, from which cycles are begun.
import { words } from './column';
import type { Kind, Schemas } from './kind';
import { StagesField } from './StagesField';
import { firstStages, wireStages, wrongStages } from './stages';
import { templateCalls } from './template';

export const templates: Kind<Schemas['Template']> = {
  ...templateCalls,
  title: 'nav.templates',
  add: 'templates.add',
  edit: 'templates.edit',
  hint: 'templates.hint',
  dated: false,
  name: ({ name }) => name,
  columns: [
    words('templates.name', ({ name }) => name),
    words('cycles.crop', ({ crop, variety }) => [crop, variety].filter(Boolean).join(' ')),
    {
      label: 'stages.title',
      text: ({ stages }, { t, format }) =>
        stages
          .map(({ name, days }) => t('stages.lasts', { name, count: days, number: format.count(days) }))
          .join(', '),
    },
  ],
  fields: [
    { kind: 'line', name: 'name', label: 'templates.name', required: true },
    { kind: 'line', name: 'crop', label: 'cycles.crop', required: true },
    { kind: 'line', name: 'variety', label: 'cycles.variety' },
    {
      kind: 'own',
      name: 'stages',
      label: 'stages.title',
      component: StagesField,
      first: firstStages,
      wire: wireStages,
      wrong: wrongStages,
    },
  ],
};
