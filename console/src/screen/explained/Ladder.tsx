// Everything that has a say about a device, the strongest first: the first decides.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useWhen } from '../../i18n/when';
import classes from './Explained.module.css';
import { deviceExplanationQuery } from './queries';
import { Waits } from './Waits';

interface Props {
  farmId: string;
  deviceId: string;
  /** The instant that is explained; now where there is none. */
  at?: number;
}

export function Ladder({ farmId, deviceId, at }: Props) {
  const { t } = useTranslation();
  const when = useWhen();
  const found = useQuery(deviceExplanationQuery(farmId, deviceId, at));
  if (!found.data) return <Waits error={found.error} />;
  const { steps, notes } = found.data;
  return (
    <div className={classes['explained']} data-explained={deviceId}>
      <ol className={classes['ladder']} aria-label={t('explained.ladder')}>
        {steps.map((step) => (
          <li
            key={step.text + String(step.since)}
            data-decides={step.decides || undefined}
            data-step={step.kind}
          >
            <span>{step.text}</span>
            <small>
              {[
                step.decides && t('explained.decides'),
                step.since !== null && t('explained.sinceTime', { time: when(step.since) }),
                step.until !== null && t('explained.untilTime', { time: when(step.until) }),
              ]
                .filter(Boolean)
                .join(', ')}
            </small>
          </li>
        ))}
      </ol>
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
    </div>
  );
}
