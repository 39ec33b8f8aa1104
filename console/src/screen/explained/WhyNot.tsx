// Why a rule did not act: of a night, of today or of a day what kept it, and how near it came.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type SensorTypeName, useDomain } from '../../i18n/domain';
import { Chips } from '../../ui/Chips';
import classes from './Explained.module.css';
import { type RuleExplanation, ruleExplanationQuery, whyNotQuery } from './queries';
import { Waits } from './Waits';

const SPANS = ['night', 'today', 'day'] as const;
type Span = (typeof SPANS)[number];
const HOUR_MS = 3_600_000;
/** A night is from this hour of the evening to that of the morning. */
const [EVENING, MORNING] = [18, 6];

/** When a span is, by the clock of who looks: never past now. */
function instantsOf(span: Span, now: Date): { from: number; to: number } {
  const at = (hours: number) => new Date(now).setHours(hours, 0, 0, 0);
  switch (span) {
    case 'night':
      return { from: at(EVENING - 24), to: Math.min(at(MORNING), now.getTime()) };
    case 'today':
      return { from: at(0), to: now.getTime() };
    case 'day':
      return { from: now.getTime() - 24 * HOUR_MS, to: now.getTime() };
  }
}

export function WhyNot({ farmId, ruleId }: { farmId: string; ruleId: string }) {
  const { t } = useTranslation();
  // The last night is in it, and so is what was just now.
  const [span, setSpan] = useState<Span>('day');
  const [now] = useState(() => new Date());
  const { from, to } = instantsOf(span, now);
  const found = useQuery(whyNotQuery(farmId, ruleId, from, to));
  const rule = useQuery(ruleExplanationQuery(farmId, ruleId)).data;
  return (
    <div className={classes['explained']} data-why-not={ruleId}>
      <Chips
        label={t('explained.span')}
        values={SPANS}
        told={(value) => t(`explained.spans.${value}`)}
        chosen={span}
        onChoose={setSpan}
      />
      {!found.data && <Waits error={found.error} />}
      {found.data && (
        <ul>
          {found.data.text.map((text) => (
            <li key={text}>{text}</li>
          ))}
          {found.data.leaves.map((leaf) => (
            <li key={`${leaf.part} ${leaf.node}`}>
              {leaf.kept.length > 0 ? leaf.kept.join('; ') : leaf.text}
              <Range leaf={leaf} type={typeOf(rule, leaf)} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

type Leaf = { part: string; node: number; lowest: number | null; highest: number | null };

function typeOf(rule: RuleExplanation | undefined, leaf: Leaf): SensorTypeName | null {
  return rule?.parts.find(({ role }) => role === leaf.part)?.nodes[leaf.node]?.sensor_type ?? null;
}

function Range({ leaf: { lowest, highest }, type }: { leaf: Leaf; type: SensorTypeName | null }) {
  const { t } = useTranslation();
  const words = useDomain();
  if (lowest === null || highest === null || type === null) return null;
  return (
    <small>
      {t('explained.highest', { low: words.amount(type, lowest), high: words.amount(type, highest) })}
    </small>
  );
}
