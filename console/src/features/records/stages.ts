// The stages of a crop in a form: each with its days and what the crop wants in it.
import { quantityNames, sensorTypes } from '../../i18n/domain';
import type { Field, Line, ListField } from './field';

/** What a crop wants: of the first quantity that is not asked for yet. */
function beginSetpoint(lines: readonly Line[]) {
  const used = lines.map(({ sensorType }) => sensorType);
  return { sensorType: sensorTypes.find((type) => !used.includes(type)) };
}

const setpoints: Field = {
  kind: 'list',
  name: 'setpoints',
  label: 'stages.setpoints',
  fields: [
    {
      kind: 'choice',
      name: 'sensorType',
      label: 'stages.measure',
      options: quantityNames,
      required: true,
      wide: true,
    },
    { kind: 'reading', name: 'min', label: 'stages.min', required: true },
    { kind: 'reading', name: 'max', label: 'stages.max', required: true },
  ],
  most: sensorTypes.length,
  begin: beginSetpoint,
  add: 'stages.addSetpoint',
  removeNth: 'stages.removeSetpoint',
};

export const stages: ListField = {
  kind: 'list',
  name: 'stages',
  label: 'stages.title',
  fields: [
    { kind: 'line', name: 'name', label: 'stages.name', required: true },
    { kind: 'count', name: 'days', label: 'stages.days', required: true },
    setpoints,
  ],
  most: 20,
  nth: 'stages.nth',
  add: 'stages.add',
  removeNth: 'stages.remove',
};
