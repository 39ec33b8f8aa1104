// What the patterns of the strips mean: each drawn by the same hand as the strips, with its word.
import { useTranslation } from 'react-i18next';
import { Canvas } from './Canvas';
import classes from './Day.module.css';
import { useInks } from './inks';
import { paintStrip } from './paint-strip';
import type { Stretch, Strip, StripKind } from './strips';
import { createViewer } from './view';

const samples = ['on', 'byHand', 'off', 'unknown', 'did', 'skipped', 'raised'] as const;
type Sample = (typeof samples)[number];

/** Nothing moves it. */
const still = createViewer({ window: { from: 0, to: 10 }, at: 0 });

/** Which strips have it, and how it is drawn. */
const drawn: Record<Sample, { kind: StripKind; stretch?: Partial<Stretch> & Pick<Stretch, 'kind'> }> = {
  on: { kind: 'device', stretch: { kind: 'on' } },
  byHand: { kind: 'device', stretch: { kind: 'on', byHand: true } },
  off: { kind: 'device', stretch: { kind: 'off' } },
  unknown: { kind: 'device' },
  did: { kind: 'person', stretch: { kind: 'mark', from: 5, to: 5 } },
  skipped: { kind: 'rule', stretch: { kind: 'mark', from: 5, to: 5 } },
  raised: { kind: 'alert', stretch: { kind: 'on' } },
};

/** Whether some strip has what a sample shows; what is not known is always possible. */
function isShown(sample: Sample, strips: readonly Strip[]): boolean {
  const { kind, stretch } = drawn[sample];
  if (!stretch) return true;
  return strips.some(
    (strip) =>
      (strip.kind === kind || (sample === 'on' && strip.kind === 'rule')) &&
      strip.stretches.some((each) => each.kind === stretch.kind && (!stretch.byHand || each.byHand)),
  );
}

export function StripLegend({ strips }: { strips: readonly Strip[] }) {
  const { t } = useTranslation();
  const inks = useInks();
  return (
    <ul className={classes['marks']} aria-label={t('day.marks.title')}>
      {samples
        .filter((sample) => isShown(sample, strips))
        .map((sample) => {
          const { kind, stretch } = drawn[sample];
          const known = kind === 'device' ? null : { from: 0, to: 10 };
          const stretches = stretch ? [{ from: 0, to: 10, text: '', ...stretch }] : [];
          return (
            <li key={sample}>
              <Canvas
                viewer={still}
                className={classes['sample']}
                draw={(to, box) => paintStrip(to, box, inks, { known, kind, stretches }, still.get().window)}
              />
              {t(`day.marks.${sample}`)}
            </li>
          );
        })}
    </ul>
  );
}
