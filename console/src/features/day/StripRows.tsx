// The strips by their kinds: each with its name, what it was at the minute that is read, and its past on the axis of the curves.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../i18n/format';
import { DeviceIcon } from '../../ui/icons/DeviceIcon';
import { Canvas } from './Canvas';
import classes from './Day.module.css';
import { useInks } from './inks';
import { paintStrip } from './paint';
import { useAt } from './Reading';
import { isKnown, type Strip, type StripKind, stretchAt } from './strips';
import type { Viewer } from './view';

const kinds: readonly StripKind[] = ['device', 'rule', 'person', 'alert'];
/** Of each kind at first. */
const FEW = 8;
/** A mark is read from this part of the window away. */
const NEAR = 0.012;

export function StripRows({ viewer, strips }: { viewer: Viewer; strips: readonly Strip[] }) {
  return kinds.map((kind) => {
    const all = strips.filter((strip) => strip.kind === kind);
    return all.length > 0 && <Rows key={kind} viewer={viewer} kind={kind} strips={all} />;
  });
}

function Rows({ viewer, kind, strips }: { viewer: Viewer; kind: StripKind; strips: readonly Strip[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [all, setAll] = useState(false);
  return (
    <div className={classes['kind']}>
      <h2>{t(`day.kinds.${kind}`)}</h2>
      <ul>
        {(all ? strips : strips.slice(0, FEW)).map((strip) => (
          <Row key={strip.id} viewer={viewer} strip={strip} />
        ))}
      </ul>
      {!all && strips.length > FEW && (
        <Button variant="subtle" onClick={() => setAll(true)}>
          {t('day.showAll', { number: format.count(strips.length) })}
        </Button>
      )}
    </div>
  );
}

function Row({ viewer, strip }: { viewer: Viewer; strip: Strip }) {
  const { t } = useTranslation();
  const inks = useInks();
  const at = useAt(viewer);
  const { from, to } = viewer.get().window;
  const was = stretchAt(strip, at, (to - from) * NEAR);
  const known = strip.kind !== 'device' && isKnown(strip, at);
  return (
    <li>
      <p>
        <span className={classes['name']}>
          {strip.machine && (
            <DeviceIcon
              kind={strip.machine}
              does={was?.kind === 'on' || was?.kind === 'off' ? was.kind : 'unknown'}
              size={26}
              still
            />
          )}
          {strip.name}
        </span>
        <span className={classes['was']} data-was={was?.kind ?? 'nothing'}>
          {was?.text ?? t(known ? 'day.nothing' : 'day.unknown')}
        </span>
      </p>
      <Canvas
        viewer={viewer}
        className={classes['strip']}
        draw={(into, box) => paintStrip(into, box, inks, strip, viewer.get().window)}
      />
    </li>
  );
}
