// Where a raised alert stands, in a glance.
import { StatePill } from '../ui/StatePill';
import { type IncidentBrief, incidentTones, useIncidentText } from './incident';

export function IncidentState({ incident }: { incident: IncidentBrief }) {
  const stands = useIncidentText();
  return stands(incident).map((word, index) => (
    <StatePill
      key={word}
      tone={index === 0 ? incidentTones[incident.state] : incidentTones.taken}
      word={word}
    />
  ));
}
