import { render } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { filled, HouseDrawing } from './HouseDrawing';
import { sparkPath } from './Sparkline';

describe('the drawing of a house', () => {
  const draw = (props: Partial<Parameters<typeof HouseDrawing>[0]>) =>
    render(
      <HouseDrawing
        temperature={25}
        soil={undefined}
        tank={undefined}
        fans={[]}
        vents={[]}
        old={false}
        {...props}
      />,
    ).container;

  it('fills with heat between 5 and 45 °C', () => {
    expect([-3, 5, 25, 45, 60].map(filled)).toEqual([0, 0, 0.5, 1, 1]);
  });

  it('hatches what is not known, and leaves out what is not measured', () => {
    const unknown = draw({ temperature: 'unknown' });
    expect(unknown.querySelector('rect[fill^="url("]')).not.toBeNull();
    expect(unknown.querySelector('[data-heat]')).toBeNull();
    const none = draw({ temperature: undefined });
    expect(none.querySelector('rect[fill^="url("], [data-heat], [data-soil], [data-tank]')).toBeNull();
  });

  it('has a fan for each, and a tank that is never more than full', () => {
    const drawn = draw({ fans: [true, false], vents: [true], soil: 36, tank: 140 });
    expect(drawn.querySelectorAll('[data-runs]')).toHaveLength(1);
    expect(drawn.querySelectorAll('circle')).toHaveLength(2);
    expect(drawn.querySelectorAll('[data-open]')).toHaveLength(1);
    expect(drawn.querySelector('[data-tank]')?.getAttribute('height')).toBe('44');
  });
});

describe('a small line', () => {
  const line = (values: [at: number, value: number][]) =>
    sparkPath({ points: values.map(([at, value]) => ({ at, value })), from: 0, to: 100, gap: 20 });

  it('ends where steps are missing and begins again', () => {
    expect(
      line([
        [0, 20],
        [10, 25],
        [60, 30],
      ]).match(/[ML]/g),
    ).toEqual(['M', 'L', 'M']);
  });

  it('draws noise as no mountain', () => {
    expect(
      line([
        [0, 20],
        [10, 20.2],
      ]),
    ).toBe('M0 20.9L24 19.2');
  });
});
