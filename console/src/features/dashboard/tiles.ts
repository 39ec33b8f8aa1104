// The eleven tiles: where each number comes from, how it is written, and where the tile leads. Six of them
// come from what people write down: those without a number are not shown.
import type { Icon } from '@tabler/icons-react';
import type { ParseKeys } from 'i18next';
import Alarms from '~icon/BellRinging';
import Polyhouses from '~icon/BuildingTunnel';
import Overdue from '~icon/CalendarDue';
import Utilization from '~icon/ChartPie';
import InventoryCost from '~icon/Coins';
import Reservoirs from '~icon/Droplets';
import Zones from '~icon/GridDots';
import Inventory from '~icon/Packages';
import Harvest from '~icon/Plant';
import Nurseries from '~icon/Plant2';
import Sales from '~icon/ReportMoney';
import type { Tone } from '../../ui/tone';
import type { Summary } from './queries';

export interface TileSpec {
  field: keyof Summary;
  label: ParseKeys;
  icon: Icon;
  to: string;
  write: 'count' | 'percent' | 'rupees';
  /** Whether it is shown only where the server has a number: nothing of the kind may be written down. */
  onlyWithNumber?: true;
  /** What a number says about the state of the farm. */
  state?: (value: number) => { tone: Tone; word: ParseKeys } | undefined;
}

/** Tiles in the order in which a person on the farm needs them; the first group is about now. */
export const tileGroups: { id: string; title: ParseKeys; tiles: TileSpec[] }[] = [
  {
    id: 'attention',
    title: 'dashboard.attention',
    tiles: [
      {
        field: 'activeAlerts',
        label: 'tile.activeAlarms',
        icon: Alarms,
        to: '/alerts',
        write: 'count',
        state: (value) => (value > 0 ? { tone: 'bad', word: 'tile.lookNow' } : undefined),
      },
      {
        field: 'overdueTasks',
        label: 'tile.overdueTasks',
        icon: Overdue,
        to: '/tasks',
        write: 'count',
        state: (value) =>
          value > 0 ? { tone: 'warn', word: 'tile.late' } : { tone: 'good', word: 'tile.nothingLate' },
      },
    ],
  },
  {
    id: 'farm',
    title: 'dashboard.onTheFarm',
    tiles: [
      { field: 'polyhouses', label: 'tile.polyhouses', icon: Polyhouses, to: '/polyhouses', write: 'count' },
      { field: 'reservoirs', label: 'tile.reservoirs', icon: Reservoirs, to: '/reservoirs', write: 'count' },
      { field: 'zones', label: 'tile.zones', icon: Zones, to: '/polyhouses', write: 'count' },
      {
        field: 'nurseries',
        label: 'tile.nurseries',
        icon: Nurseries,
        to: '/nurseries',
        write: 'count',
        onlyWithNumber: true,
      },
      {
        field: 'inventoryAvailablePercent',
        label: 'tile.inventoryAvailable',
        icon: Inventory,
        to: '/inventory',
        write: 'percent',
        onlyWithNumber: true,
      },
      {
        field: 'utilizationPercent',
        label: 'tile.utilization',
        icon: Utilization,
        to: '/reports',
        write: 'percent',
        onlyWithNumber: true,
      },
    ],
  },
  {
    id: 'money',
    title: 'dashboard.money',
    tiles: [
      {
        field: 'expectedHarvestRevenue',
        label: 'tile.expectedHarvest',
        icon: Harvest,
        to: '/reports',
        write: 'rupees',
        onlyWithNumber: true,
      },
      {
        field: 'inventoryCost',
        label: 'tile.inventoryCost',
        icon: InventoryCost,
        to: '/inventory',
        write: 'rupees',
        onlyWithNumber: true,
      },
      {
        field: 'salesRevenue',
        label: 'tile.saleRevenue',
        icon: Sales,
        to: '/reports',
        write: 'rupees',
        onlyWithNumber: true,
      },
    ],
  },
];
