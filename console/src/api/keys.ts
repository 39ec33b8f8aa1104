// The names of what the query cache holds. Live updates write under the same names that screens read.

/** Everything of one farm starts with this, so that a reconnect can refresh it at once. */
export function farmKey(farmId: string) {
  return ['farm', farmId] as const;
}

export const keys = {
  farms: ['farms'] as const,
  demo: ['demo'] as const,
  summary: (farmId: string) => [...farmKey(farmId), 'summary'] as const,
  weather: (farmId: string) => [...farmKey(farmId), 'weather'] as const,
  latestTelemetry: (farmId: string) => [...farmKey(farmId), 'latest-telemetry'] as const,
};
