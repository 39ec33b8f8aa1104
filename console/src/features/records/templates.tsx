// Templates: the stages of a crop, from which cycles are begun.
import { cropAndVariety } from '../../api/crops';
import { words } from './column';
import type { Kind, Schemas } from './kind';
import { recordsPage } from './Records';
import { stages } from './stages';
import { templateCalls } from './template';

type Template = Schemas['Template'];

export const templates: Kind<Template> = {
  ...templateCalls,
  title: 'nav.templates',
  add: 'templates.add',
  edit: 'templates.edit',
  hint: 'templates.hint',
  dated: false,
  name: ({ name }) => name,
  columns: [
    { ...words('templates.name', ({ name }: Template) => name), lead: true },
    words('cycles.crop', cropAndVariety),
    {
      label: 'stages.title',
      text: ({ stages: list }, { t, format }) =>
        list
          .map(({ name, days }) => t('stages.lasts', { name, count: days, number: format.count(days) }))
          .join(', '),
    },
  ],
  fields: [
    { kind: 'line', name: 'name', label: 'templates.name', required: true },
    { kind: 'line', name: 'crop', label: 'cycles.crop', required: true },
    { kind: 'line', name: 'variety', label: 'cycles.variety' },
    stages,
  ],
};

export default recordsPage(templates);
