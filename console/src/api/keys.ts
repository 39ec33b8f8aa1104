// The names of what the query cache holds. Live updates write under the same names that screens read.

/** Everything of one farm starts with this, so that a reconnect can refresh it at once. */
export function farmKey(farmId: string) {
  return ['farm', farmId] as const;
}

export const keys = {
  farms: ['farms'] as const,
  demo: ['demo'] as const,
  outbox: ['demo-outbox'] as const,
  sessions: ['sessions'] as const,
  /** How one is told. */
  toldChoice: ['told-choice'] as const,
  push: ['push'] as const,
  invite: (token: string) => ['invite', token] as const,
  assets: ['assets'] as const,
  delivery: ['delivery'] as const,
  /** Passwords of controllers just registered: kept in memory until they were noted, and loaded from nowhere. */
  newControllers: ['new-controllers'] as const,
  users: (farmId: string) => [...farmKey(farmId), 'users'] as const,
  /** Under the people: who accepts becomes one of them. */
  invites: (farmId: string) => [...farmKey(farmId), 'users', 'invites'] as const,
  summary: (farmId: string) => [...farmKey(farmId), 'summary'] as const,
  /** How the farm and its houses stand. */
  verdict: (farmId: string) => [...farmKey(farmId), 'verdict'] as const,
  /** What is not on automatic. */
  exceptions: (farmId: string) => [...farmKey(farmId), 'exceptions'] as const,
  /** Who holds each device. */
  holders: (farmId: string) => [...farmKey(farmId), 'holders'] as const,
  /** Outages; span and page come after it. */
  outages: (farmId: string) => [...farmKey(farmId), 'outages'] as const,
  weather: (farmId: string) => [...farmKey(farmId), 'weather'] as const,
  /** The photo of a task, as it was kept then. */
  photo: (farmId: string, taskId: string, at: number | null) =>
    [...farmKey(farmId), 'photo', taskId, at] as const,
  /** A worker's own. */
  work: (farmId: string) => [...farmKey(farmId), 'work'] as const,
  tasks: (farmId: string) => [...farmKey(farmId), 'tasks'] as const,
  polyhouses: (farmId: string) => [...farmKey(farmId), 'polyhouses'] as const,
  /** What people write down: the kind and the period come after it. */
  records: (farmId: string) => [...farmKey(farmId), 'records'] as const,
  reservoirs: (farmId: string) => [...farmKey(farmId), 'reservoirs'] as const,
  sensors: (farmId: string) => [...farmKey(farmId), 'sensors'] as const,
  /** Sensors whose values follow from others; what one would be comes after it. */
  derivedSensors: (farmId: string) => [...farmKey(farmId), 'derived-sensors'] as const,
  controllers: (farmId: string) => [...farmKey(farmId), 'controllers'] as const,
  /** What one of them announces, while somebody finds out which is which. Under the sensors: it changes as they do. */
  controllerSensors: (farmId: string, macid: string) => [...keys.sensors(farmId), macid] as const,
  devices: (farmId: string) => [...farmKey(farmId), 'devices'] as const,
  /** Groups of which so many run at a time. */
  deviceGroups: (farmId: string) => [...farmKey(farmId), 'device-groups'] as const,
  /** Named targets with which rules compare. */
  setpoints: (farmId: string) => [...farmKey(farmId), 'setpoints'] as const,
  /** The stops that hold. */
  stops: (farmId: string) => [...farmKey(farmId), 'stops'] as const,
  conditions: (farmId: string) => [...farmKey(farmId), 'conditions'] as const,
  rules: (farmId: string) => [...farmKey(farmId), 'rules'] as const,
  alerts: (farmId: string) => [...farmKey(farmId), 'alerts'] as const,
  /** The automation log; a filter or page comes after it. */
  logs: (farmId: string) => [...farmKey(farmId), 'logs'] as const,
  /** How the test of a device's lease goes, that began at an instant. */
  leaseTest: (farmId: string, deviceId: string, at: number) =>
    [...farmKey(farmId), 'leaseTest', deviceId, at] as const,
  /** One command's life. */
  command: (farmId: string, commandId: string) => [...farmKey(farmId), 'command', commandId] as const,
  /** What was sent to people. */
  deliveries: (farmId: string) => [...farmKey(farmId), 'deliveries'] as const,
  /** The person's own tokens, which are shown beside the farm's. */
  tokens: (farmId: string) => [...farmKey(farmId), 'tokens'] as const,
  /** Everybody's that reach the farm. */
  farmTokens: (farmId: string) => [...farmKey(farmId), 'farm-tokens'] as const,
  integrations: (farmId: string) => [...farmKey(farmId), 'integrations'] as const,
  notifications: (farmId: string) => [...farmKey(farmId), 'notifications'] as const,
  /** Histories for charts; sensor and span come after it. */
  effects: (farmId: string) => [...farmKey(farmId), 'effects'] as const,
  history: (farmId: string) => [...farmKey(farmId), 'history'] as const,
  latestTelemetry: (farmId: string) => [...farmKey(farmId), 'latest-telemetry'] as const,
};
