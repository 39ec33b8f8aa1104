import { expect, it } from 'vitest';
import { latestTelemetryQuery, summaryQuery } from '../../api/queries';
import { weatherQuery } from './queries';

it('is loaded again every 30 seconds', () => {
  const queries = [summaryQuery, weatherQuery, latestTelemetryQuery].map((query) => query('farm-1'));
  expect(queries.map(({ refetchInterval }) => refetchInterval)).toEqual([30_000, 30_000, 30_000]);
});
