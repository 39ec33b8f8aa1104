// The strips by their kinds: each with its name, what it was at the minute that is read, and its past on the axis of the curves.
import { Button, UnstyledButton, VisuallyHidden } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import Alerts from '~icon/BellRinging';
import Fold from '~icon/ChevronDown';
import People from '~icon/HandStop';
import Devices from '~icon/Propeller';
import Rules from '~icon/Robot';
import { useFormat } from '../../i18n/format';
import { lanesPath } from '../../screen/DayLink';
import { Ladder, RuleWhy } from '../../screen/explained/parts';
import { Link } from '../../screen/Link';
import { DeviceIcon } from '../../ui/icons/DeviceIcon';
import { Canvas } from './Canvas';
import classes from './Day.module.css';
import { useInks } from './inks';
import { paintStrip } from './paint-strip';
import { useOfView } from './Reading';
import { StripLegend } from './StripLegend';
import { busyFirst, isKnown, type Stretch, type Strip, type StripKind, stretchAt } from './strips';
import type { Viewer } from './view';
import { nearOf } from './window';

const kinds: readonly StripKind[] = ['device', 'rule', 'person', 'alert'];
const signs: Record<StripKind, Icon> = { device: Devices, rule: Rules, person: People, alert: Alerts };
/** Of each kind at first. */
const FEW = 8;
const MINUTE_MS = 60_000;

interface Props {
  farmId: string;
  viewer: Viewer;
  strips: readonly Strip[];
  /** The instant that links lead to: where the view rests. */
  at: number;
}

export function StripRows({ strips, ...rest }: Props) {
  const rows = kinds.map((kind) => {
    const all = busyFirst(strips.filter((strip) => strip.kind === kind));
    return all.length > 0 && <Rows key={kind} kind={kind} strips={all} {...rest} />;
  });
  return (
    <>
      {rows}
      {strips.length > 0 && <StripLegend strips={strips} />}
    </>
  );
}

function Rows({ kind, strips, ...rest }: Props & { kind: StripKind }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [all, setAll] = useState(false);
  const Sign = signs[kind];
  return (
    <div className={classes['kind']}>
      <h2>
        <Sign size={20} aria-hidden />
        {t(`day.kinds.${kind}`)}
      </h2>
      <ul>
        {(all ? strips : strips.slice(0, FEW)).map((strip) => (
          <Row key={strip.id} strip={strip} {...rest} />
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

/** What a stretch was, beside the name of what it was of: the log's sentence has that name in it. */
function saidOf({ kind }: Strip, was: Stretch, t: TFunction): string {
  if (was.kind === 'on' && kind === 'rule') return t('day.lanes.state.running');
  if (was.kind === 'on' && kind === 'alert') return t('day.lanes.state.raised');
  return was.text;
}

function Row({ farmId, viewer, strip, at }: Omit<Props, 'strips'> & { strip: Strip }) {
  const { t } = useTranslation();
  const inks = useInks();
  const was = useOfView(viewer, (view) => stretchAt(strip, view.at, nearOf(view.window)));
  const known = useOfView(viewer, (view) => strip.kind !== 'device' && isKnown(strip, view.at));
  const said = was ? saidOf(strip, was, t) : t(known ? 'day.nothing' : 'day.unknown');
  const panel = useId();
  const [open, setOpen] = useState(false);
  return (
    <li>
      <p>
        <span className={classes['name']}>
          {strip.machine && (
            <DeviceIcon
              kind={strip.machine}
              mark={was?.byHand ? 'hand' : undefined}
              does={was?.kind === 'on' || was?.kind === 'off' ? was.kind : 'unknown'}
              size={26}
              still
            />
          )}
          {strip.kind === 'device' || strip.kind === 'rule' ? (
            <Link to={lanesPath(strip.kind === 'device' ? { device: strip.id } : { rule: strip.id }, at)}>
              {strip.name}
            </Link>
          ) : (
            strip.name
          )}
        </span>
        {strip.kind === 'device' || strip.kind === 'rule' ? (
          <UnstyledButton
            className={classes['was'] ?? ''}
            data-was={was?.kind ?? 'nothing'}
            aria-expanded={open}
            aria-controls={panel}
            onClick={() => setOpen(!open)}
          >
            {said}
            <VisuallyHidden>. {t('why.explained.at')}</VisuallyHidden>
            <Fold className={classes['fold']} size={18} aria-hidden />
          </UnstyledButton>
        ) : (
          <span className={classes['was']} data-was={was?.kind ?? 'nothing'}>
            {said}
          </span>
        )}
      </p>
      <Canvas
        viewer={viewer}
        className={classes['strip']}
        draw={(into, box) => paintStrip(into, box, inks, strip, viewer.get().window)}
      />
      {/* Named by its button also while there is nothing in it. */}
      <div id={panel} className={classes['whole']} hidden={!open}>
        {open && <AtMinute farmId={farmId} viewer={viewer} strip={strip} />}
      </div>
    </li>
  );
}

/** Why it was so at the minute that was read when this was opened. */
function AtMinute({ farmId, viewer, strip }: { farmId: string; viewer: Viewer; strip: Strip }) {
  const format = useFormat();
  const [at] = useState(() => Math.min(Math.floor(viewer.get().at / MINUTE_MS) * MINUTE_MS, Date.now()));
  return (
    <>
      <time dateTime={new Date(at).toISOString()}>{format.dayTime(new Date(at))}</time>
      {strip.kind === 'rule' ? (
        <RuleWhy farmId={farmId} ruleId={strip.id} at={at} />
      ) : (
        <Ladder farmId={farmId} deviceId={strip.id} at={at} />
      )}
    </>
  );
}
