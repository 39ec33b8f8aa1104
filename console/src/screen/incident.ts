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

/** "Asha is on it", "Snoozed until 14:30 (Ravi)". */
export function useIncidentText(): (incident: IncidentBrief) => string {
  const { t } = useTranslation();
  const when = useWhen();
  return ({ state, by, until, taken }) => {
    const name = by?.name ?? '';
    if (state === 'snoozed' && until !== null) {
      const told = t('incidents.snoozed', { name, time: when(until) });
      return taken ? `${told} · ${t('incidents.taken', { name: taken.name })}` : told;
    }
    return t(`incidents.${state}`, { name });
  };
}
