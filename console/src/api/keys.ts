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
  invite: (token: string) => ['invite', token] as const,
  assets: ['assets'] as const,
  invites: ['invites'] as const,
  /** Passwords of controllers just registered: kept in memory until they were noted, and loaded from nowhere. */
  newControllers: ['new-controllers'] as const,
  users: (farmId: string) => [...farmKey(farmId), 'users'] as const,
  summary: (farmId: string) => [...farmKey(farmId), 'summary'] as const,
  weather: (farmId: string) => [...farmKey(farmId), 'weather'] as const,
  latestTelemetry: (farmId: string) => [...farmKey(farmId), 'latest-telemetry'] as const,
};
