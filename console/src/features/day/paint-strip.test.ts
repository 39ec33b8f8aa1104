// The strips are told apart without colours.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { marks } from '../../ui/icons/marks';
import { light } from '../../ui/tokens';
import { paintStrip } from './paint-strip';
import type { Stretch, StripKind } from './strips';

const INKS = { ...light, curves: [] };

/** Everything that a strip does to a canvas of 100 by 18, with what was filled and stroked. */
function painted(kind: StripKind, stretch?: Partial<Stretch> & Pick<Stretch, 'kind'>) {
  const calls: [string, unknown[]][] = [];
  const canvas = new Proxy(
    {},
    {
      get:
        (_, name) =>
        (...given: unknown[]) =>
          calls.push([String(name), given]),
      set: () => true,
    },
  ) as CanvasRenderingContext2D;
  const stretches = stretch ? [{ from: 0, to: 10, text: '', ...stretch }] : [];
  paintStrip(canvas, { width: 100, height: 18 }, INKS, { known: null, kind, stretches }, { from: 0, to: 10 });
  const of = (name: string) => calls.filter(([call]) => call === name).map(([, given]) => given);
  const icons = of('stroke').flatMap(([path]) => (path instanceof Path2D ? [String(path)] : []));
  return { fills: of('fillRect'), gaps: of('clearRect').filter(([, , wide]) => wide === 2), icons };
}

beforeEach(() => {
  vi.stubGlobal(
    'Path2D',
    class {
      constructor(readonly line: string) {}
      toString = () => this.line;
    },
  );
});

describe('a strip', () => {
  it('is filled and marked where a device was on, and has gaps where a person had it', () => {
    const on = painted('device', { kind: 'on' });
    expect(on.fills).toEqual([[0, 0, 100, 18]]);
    expect([on.gaps, on.icons]).toEqual([[], [...marks.runs]]);
    const byHand = painted('device', { kind: 'on', byHand: true });
    expect(byHand.gaps.length).toBeGreaterThan(10);
    expect(byHand.icons).toEqual([...marks.hand]);
  });

  it('is a line along the middle where it was off, and only hatched where nothing is known', () => {
    const off = painted('device', { kind: 'off' });
    expect(off.fills).toContainEqual([0, 8, 100, 2]);
    expect(off.icons).toEqual([]);
    expect(painted('device').fills).toEqual([]);
  });

  it('has the sign of what happened at an instant, and of what was raised', () => {
    expect(painted('person', { kind: 'mark', from: 5, to: 5 }).icons).toEqual([...marks.hand]);
    expect(painted('rule', { kind: 'mark', from: 5, to: 5 }).icons).toEqual([...marks.cross]);
    expect(painted('alert', { kind: 'on' }).icons).toEqual([...marks.bell]);
  });

  it('has no sign where there is no room for it', () => {
    expect(painted('device', { kind: 'on', to: 1 }).icons).toEqual([]);
  });
});
