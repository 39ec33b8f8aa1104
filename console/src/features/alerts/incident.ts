// What an incident is: loading it, answering it, and what of it is drawn.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';
import type { SensorTypeName } from '../../i18n/domain';
import type { Language } from '../../i18n/languages';

type Schemas = components['schemas'];
export type Incident = Schemas['Incident'];
export type Condition = Schemas['IncidentCondition'];
export type NewAnswer = Schemas['NewIncidentAnswer'];
export type AnswerKind = Schemas['AnswerKind'];
export type Remedy = Schemas['IncidentRemedy'];

/** Answers come over the live connection; values by the clock. */
const LOOK_MS = 5_000;
const CURVE_MS = 60_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** How much of the curve is shown before it was raised, and after it. */
const BEFORE = 2 * HOUR;
const AFTER = 4 * HOUR;

/** How long nobody is told, as chips. */
export const SNOOZES = [30, 60, 180] as const;
/** The longest note that the server keeps. */
export const MAX_NOTE = 500;

const at = (farmId: string, incidentId: string) => ({ params: { path: { farmId, incidentId } } });

/** Under the alerts: what makes these old makes it old. */
export function incidentQuery(farmId: string, id: string) {
  return queryOptions({
    queryKey: [...keys.alerts(farmId), 'incident', id],
    queryFn: () => answer(api.GET('/api/farms/{farmId}/incidents/{incidentId}', at(farmId, id))),
    refetchInterval: LOOK_MS,
  });
}

/** What happened in its place since, in the language of the page. */
export function incidentLogQuery(farmId: string, id: string, language: Language) {
  return queryOptions({
    queryKey: [...keys.logs(farmId), 'incident', id, language],
    queryFn: () => answer(api.GET('/api/farms/{farmId}/incidents/{incidentId}/log', at(farmId, id))),
  });
}

/** The curve of a quantity around the time when it was raised. */
export function curveQuery(
  farmId: string,
  { raisedAt, overAt, place }: Pick<Incident, 'raisedAt' | 'overAt' | 'place'>,
  type: SensorTypeName,
) {
  const where =
    place.type === 'zone' && place.zoneId
      ? { zone: place.zoneId }
      : place.type === 'polyhouse' && place.polyhouseId
        ? { polyhouse: place.polyhouseId }
        : {};
  return queryOptions({
    queryKey: [...keys.history(farmId), 'incident', where, type, raisedAt, overAt],
    queryFn: () =>
      answer(
        api.GET('/api/farms/{farmId}/history', {
          params: {
            path: { farmId },
            query: { ...curveWindow(raisedAt, overAt, Date.now()), ...where, types: type },
          },
        }),
      ),
    refetchInterval: CURVE_MS,
  });
}

/** Some hours around the raise, not beyond now; whole minutes. */
export function curveWindow(raisedAt: number, overAt: number | null, now: number) {
  const end = Math.min(now, Math.max(raisedAt + AFTER, (overAt ?? 0) + HOUR));
  const whole = (instant: number) => Math.ceil(instant / MINUTE) * MINUTE;
  return { from: whole(raisedAt - BEFORE), to: whole(end) };
}

/** The quantities that its conditions watch, each once. */
export function quantitiesOf({ conditions }: Incident): SensorTypeName[] {
  return [...new Set(conditions.map(({ sensorType }) => sensorType))];
}

/** Answers it; what the server says then is shown at once. */
export function useAnswer(farmId: string, asked: string) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: ({ id, body }: { id: string; body: NewAnswer }) =>
      answer(
        api.POST('/api/farms/{farmId}/incidents/{incidentId}/answers', {
          params: { path: { farmId, incidentId: id } },
          body,
        }),
      ),
    onSuccess: (now) => cache.setQueryData<Incident>(incidentQuery(farmId, asked).queryKey, now),
    onSettled: () =>
      Promise.all([
        cache.invalidateQueries({ queryKey: keys.alerts(farmId) }),
        cache.invalidateQueries({ queryKey: keys.notifications(farmId) }),
      ]),
  });
}
