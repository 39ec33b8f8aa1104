// A machine and how it stands, at a glance. Only what a machine itself reported moves: one that was told to run and has not said
// that it does stands still. What it says stands beside it in words, so it is hidden from those who hear the page.
import type { Icon } from '@tabler/icons-react';
import Failed from '~icon/AlertTriangleFilled';
import Hand from '~icon/HandStop';
import Locked from '~icon/LockFilled';
import Offline from '~icon/PlugConnectedX';
import { DeviceGlyph, type DeviceKind, MovingPart } from './DeviceGlyph';
import classes from './DeviceIcon.module.css';

/** `told` is on by what it was told, and has not said so itself; `unknown` is what nobody knows of. */
export type DeviceDoes = 'off' | 'on' | 'told' | 'unknown';
/** What comes before what it does. */
export type DeviceMark = 'hand' | 'locked' | 'offline' | 'failed';

const marks: Record<DeviceMark, Icon> = { hand: Hand, locked: Locked, offline: Offline, failed: Failed };

interface Props {
  kind: DeviceKind;
  does: DeviceDoes;
  mark?: DeviceMark | undefined;
  size?: number;
  /** It is of another time than now. */
  still?: boolean;
}

export function DeviceIcon({ kind, does, mark, size = 44, still }: Props) {
  const Mark = mark && marks[mark];
  const box = { width: size * 0.64, height: size * 0.64, viewBox: '-13 -13 26 26' };
  return (
    <span
      className={classes['icon']}
      style={{ width: size, height: size }}
      data-does={does}
      data-mark={mark}
      data-kind={kind}
      data-still={still || undefined}
      aria-hidden="true"
    >
      <svg aria-hidden {...box}>
        <DeviceGlyph kind={kind} />
      </svg>
      {/* A drawing of its own: what moves inside of one has it laid out and painted anew for every frame. */}
      {kind !== 'sensor' && (
        <svg aria-hidden {...box} className={`${classes['moves']} ${classes[kind]}`}>
          <MovingPart kind={kind} />
        </svg>
      )}
      {Mark && (
        <span className={classes['mark']}>
          <Mark size={Math.round(size * 0.32)} />
        </span>
      )}
    </span>
  );
}
