import { render, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { barWidth, RangeBar } from './RangeBar';

describe('barWidth', () => {
  it.each([
    [4.2, 7, 50],
    [7, 7, 100 / 1.2],
    [8.4, 7, 100],
    [14, 7, 100],
    [0, 7, 0],
    [-1, 7, 0],
  ])('%d of a range up to %d fills %d %%', (value, high, percent) => {
    expect(barWidth(value, high)).toBeCloseTo(percent, 9);
  });
});

it.each([
  [6, 'true'],
  [7, 'true'],
  [5.99, 'false'],
  [7.01, 'false'],
])('%d is inside 6 to 7: %s', (value, inside) => {
  const { container } = render(
    <RangeBar value={value} known low={6} high={7} label="pH" valueText="x" lowText="6" highText="7" />,
  );
  expect(container.querySelector('[data-inside]')?.getAttribute('data-inside')).toBe(inside);
  expect(screen.getByRole('meter', { name: 'pH' }).getAttribute('aria-valuenow')).toBe(String(value));
});

it('draws no bar without a value', () => {
  const { container } = render(
    <RangeBar value={null} known low={6} high={7} label="pH" valueText="none" lowText="6" highText="7" />,
  );
  expect(container.querySelector('[data-inside]')).toBeNull();
});

it.each([6.5, 8])('%d is neither inside nor outside while that is not known', (value) => {
  const { container } = render(
    <RangeBar
      value={value}
      known={false}
      low={6}
      high={7}
      label="pH"
      valueText="x"
      lowText="6"
      highText="7"
    />,
  );
  expect(container.querySelector('[data-inside]')?.getAttribute('data-inside')).toBe('unknown');
});
