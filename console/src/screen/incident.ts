// Where a raised alert stands, in words: who looks after it, or until when nobody is told.
import { useTranslation } from 'react-i18next';
import type { components } from '../api/schema';
import { useWhen } from '../i18n/when';
import type { Tone } from '../ui/tone';

export type IncidentBrief = components['schemas']['IncidentBrief'];
export type IncidentState = components['schemas']['IncidentState'];

/** Nobody at it is bad, somebody is not yet well. */
export const incidentTones: Record<IncidentState, Tone> = {
  open: 'bad',
  acknowledged: 'quiet',
  taken: 'warn',
  snoozed: 'quiet',
  false_alarm: 'quiet',
  over: 'good',
};

/** The page of an incident, or of what an alert is raised for now. */
export function incidentPath(id: string): string {
  return `/alerts/${encodeURIComponent(id)}`;
}

/** "Snoozed until 14:30 by Ravi", and besides "Asha is on it": in one line or two. */
export function useIncidentText(): (incident: IncidentBrief) => string[] {
  const { t } = useTranslation();
  const when = useWhen();
  return ({ state, by, until, taken }) => {
    const stands = t(`incidents.${state}`, {
      name: by?.name ?? '',
      time: until === null ? '' : when(until),
    });
    return state === 'snoozed' && taken ? [stands, t('incidents.taken', { name: taken.name })] : [stands];
  };
}
