// A small farm for the tests of rules.
import type { Device, Polyhouse, Rule } from './queries';

export const houses: Polyhouse[] = [
  {
    etag: 'v1',
    id: 'p1',
    name: 'East',
    zonesCount: 1,
    capacity: null,
    isActive: true,
    zones: [{ etag: 'v1', id: 'z1', name: 'Roses' }],
  },
  { etag: 'v1', id: 'p2', name: 'West', zonesCount: 0, capacity: null, isActive: true, zones: [] },
];

export const fan: Device = {
  etag: 'v1',
  id: 'fan-1',
  name: 'Fan 1',
  type: 'fan',
  supportedActions: [
    { action: 'on' },
    { action: 'off' },
    { action: 'set_speed', parameterType: 'percentage', minValue: 0, maxValue: 100 },
  ],
  state: {
    value: 0,
    on: false,
    mode: 'auto',
    source: 'system',
    lock: null,
    locks: [],
    safety: false,
    manualOverrideUntil: null,
  },
  scope: { type: 'polyhouse', polyhouseId: 'p1', name: 'East' },
  online: true,
  lastUpdated: 0,
  gone: false,
  controller: null,
  rest: { action: 'off' },
  safe: { action: 'off' },
  leaseEnd: null,
  max_on_sec: null,
  max_pulse_sec_per_hour: null,
  limits: null,
  limits_state: null,
  desired: { action: 'on' },
  desired_by: 'rest',
  pulse: null,
  claims: [],
  last_sent: null,
  on_since: null,
  max_on_at: null,
};

export const doser: Device = {
  ...fan,
  id: 'doser',
  name: 'Doser',
  type: 'dosing_pump',
  supportedActions: [
    { action: 'off' },
    { action: 'set_flow_rate', parameterType: 'ml_per_sec', minValue: 0.5, maxValue: 20 },
    { action: 'pulse', parameterType: 'seconds', minValue: 1, maxValue: 60 },
  ],
  scope: { type: 'farm' },
};

export const zoneValve: Device = {
  ...fan,
  id: 'valve',
  name: 'Drip',
  type: 'valve',
  supportedActions: [{ action: 'on' }, { action: 'off' }],
  scope: { type: 'zone', polyhouseId: 'p2', zoneId: 'z9', name: 'Melons' },
};

const east = { type: 'polyhouse', farmId: 'f1', polyhouseId: 'p1', name: 'East', path: 'East' } as const;

const remark = 'Both fans';

export const running: Rule = {
  etag: 'v1',
  id: 'rule-1',
  name: 'Cool East',
  description: remark,
  mode: 'auto',
  priority: 6,
  scope: east,
  trigger: { sensor_type: 'temperature', operator: 'gt', value: 35, duration_sec: 300 },
  actions: [
    { device_id: 'fan-1', device_name: 'Fan 1', command: { action: 'on' }, delay_sec: 0 },
    { device_id: 'fan-1', device_name: 'Fan 1', command: { action: 'set_speed', value: 80 }, delay_sec: 30 },
  ],
  stop_condition: { sensor_type: 'temperature', operator: 'lt', value: 30.5, duration_sec: 90 },
  on_signal_lost: 'hold',
  deployed: true,
  created_at: Date.parse('2026-01-05T06:30:00Z'),
  created_by: 'Sunita Jadhav',
  status: {
    phase: 'running',
    since: Date.parse('2026-11-21T06:30:00Z'),
    ending: null,
    patience_ends_at: null,
  },
};

export const draft: Rule = {
  ...running,
  id: 'rule-2',
  name: 'Dry East',
  priority: 5,
  description: '',
  trigger: { sensor_type: 'humidity', operator: 'between', value: 80, value_max: 95, duration_sec: 60 },
  actions: [{ device_id: 'fan-1', command: { action: 'set_speed', value: 40 }, delay_sec: 0 }],
  stop_condition: null,
  deployed: false,
  status: { phase: 'idle' },
};
