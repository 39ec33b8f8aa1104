// Where a rule stands, and why: each part of its conditions with its truth in word and colour, what would have to change, and what
// becomes of it at its devices.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useWhen } from '../../i18n/when';
import classes from './Explained.module.css';
import { type RuleExplanation, ruleExplanationQuery } from './queries';
import { Waits } from './Waits';

interface Props {
  farmId: string;
  ruleId: string;
  /** The instant that is explained; now where there is none. */
  at?: number;
}

export function RuleWhy({ farmId, ruleId, at }: Props) {
  const { t } = useTranslation();
  const found = useQuery(ruleExplanationQuery(farmId, ruleId, at));
  if (!found.data) return <Waits error={found.error} />;
  const { text, parts, change, devices } = found.data;
  return (
    <div className={classes['explained']} data-explained={ruleId}>
      <p>
        <strong>{text}</strong>
      </p>
      {parts.map((part) => (
        <Part key={part.role} part={part} />
      ))}
      <NeedsChange change={change} />
      {devices.length > 0 && (
        <section>
          <h4>{t('explained.devices')}</h4>
          <ul>
            {devices.map((device) => (
              <li key={device.id} data-outcome={device.outcome}>
                {device.name || device.id}: {device.text}
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function Part({ part }: { part: RuleExplanation['parts'][number] }) {
  const { t } = useTranslation();
  return (
    <section>
      <h4>{t(`explained.part.${part.role}`)}</h4>
      <ul className={classes['nodes']}>
        {part.nodes.map((node, index) => (
          // The nodes of a condition have no names but their places.
          // biome-ignore lint/suspicious/noArrayIndexKey: a condition's nodes stay in their places
          <li key={index} style={{ marginInlineStart: `${node.depth}rem` }}>
            <span className={classes['truth']} data-truth={node.truth}>
              {node.truth_text}
            </span>
            <span>{node.text}</span>
            {node.evidence.length > 0 && (
              <details>
                <summary>{t('explained.left')}</summary>
                <ul>
                  {node.evidence.map(({ sensor, name, text, standing }) => (
                    <li key={sensor} data-standing={standing}>
                      {name ?? sensor}: {text}
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </li>
        ))}
      </ul>
      {part.hold_text !== null && <p>{part.hold_text}</p>}
    </section>
  );
}

/** What would have to change for it to start, or while it runs to stop. */
function NeedsChange({ change }: { change: RuleExplanation['change'] }) {
  const { t } = useTranslation();
  const when = useWhen();
  return (
    <section data-change={change.to}>
      <h4>{t(change.to === 'start' ? 'explained.start' : 'explained.stopTo')}</h4>
      <ul>
        {change.text.map((text) => (
          <li key={text}>{text}</li>
        ))}
        {change.text.length === 0 && change.at === null && <li>{t('explained.waiting')}</li>}
        {change.at !== null && <li>{t('explained.byItself', { time: when(change.at) })}</li>}
      </ul>
    </section>
  );
}
