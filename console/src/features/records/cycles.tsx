// Crop cycles: what grows in which zone, how far it is, and what is expected of it.
import { cropAndVariety } from '../../api/crops';
import { cycleCalls, cycleName } from './chosen';
import { day, money, number, words } from './column';
import { FromTemplate } from './FromTemplate';
import type { Kind, Schemas } from './kind';
import { pill } from './pill';
import { recordsPage } from './Records';
import { Stage } from './Stage';
import { stages } from './stages';

type CropCycle = Schemas['CropCycle'];

const states = {
  PLANNED: { tone: 'quiet', word: 'cycles.planned' },
  GROWING: { tone: 'active', word: 'cycles.growing' },
  ENDED: { tone: 'quiet', word: 'cycles.endedState' },
} as const;

export const cycles: Kind<CropCycle> = {
  ...cycleCalls,
  title: 'nav.lifecycles',
  add: 'cycles.add',
  edit: 'cycles.edit',
  hint: 'cycles.hint',
  dated: false,
  name: cycleName,
  columns: [
    { ...words('cycles.crop', cropAndVariety), lead: true },
    words('records.zone', ({ zone }) => zone),
    pill('cycles.state', ({ state }) => state, states),
    {
      label: 'cycles.stage',
      text: ({ stage }, { t, format }) =>
        stage &&
        t('cycles.stageDay', {
          name: stage.name,
          day: format.count(stage.day),
          days: format.count(stage.days),
        }),
      show: ({ stage }) => stage && <Stage {...stage} />,
    },
    { ...number<CropCycle>('cycles.plants', ({ plants }) => plants), fileOnly: true },
    day('cycles.transplanted', ({ transplantedOn, sownOn }) => transplantedOn ?? sownOn),
    day('cycles.expectedHarvest', ({ expectedHarvestOn }) => expectedHarvestOn),
    {
      label: 'cycles.harvested',
      text: ({ harvestedKg, expectedYieldKg }, { t, format }) => {
        const done = format.quantity(harvestedKg);
        if (expectedYieldKg !== null)
          return t('cycles.harvestedOf', { done, all: format.quantity(expectedYieldKg) });
        return harvestedKg > 0 ? t('records.withUnit', { value: done, unit: t('unitName.KG') }) : null;
      },
      plain: ({ harvestedKg }) => harvestedKg,
    },
    {
      ...money<CropCycle>('cycles.expectedPrice', ({ expectedPricePaise }) => expectedPricePaise),
      fileOnly: true,
    },
  ],
  fields: [
    { kind: 'line', name: 'crop', label: 'cycles.crop', required: true },
    { kind: 'line', name: 'variety', label: 'cycles.variety' },
    { kind: 'zone', name: 'zoneId', label: 'records.zone', required: true },
    { kind: 'count', name: 'plants', label: 'cycles.plants' },
    { kind: 'day', name: 'sownOn', label: 'cycles.sown' },
    { kind: 'day', name: 'transplantedOn', label: 'cycles.transplanted' },
    { kind: 'day', name: 'expectedHarvestOn', label: 'cycles.expectedHarvest' },
    { kind: 'decimal', name: 'expectedYieldKg', label: 'cycles.expectedYield' },
    { kind: 'rupees', name: 'expectedPricePaise', label: 'cycles.expectedPrice' },
    { ...stages, before: FromTemplate },
    { kind: 'day', name: 'endedOn', label: 'cycles.ended' },
    { kind: 'lines', name: 'note', label: 'records.note' },
  ],
};

export default recordsPage(cycles);
