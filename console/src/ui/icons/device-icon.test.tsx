import { render } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { DeviceKind } from './DeviceGlyph';
import { DeviceIcon } from './DeviceIcon';

const kinds: DeviceKind[] = [
  'fan',
  'vent',
  'pump',
  'valve',
  'dosing_pump',
  'fogger',
  'heater',
  'light',
  'shade',
  'curtain',
  'mixing_pump',
  'siren',
  'sensor',
];

it.each(kinds)('draws a %s, which is not said twice to who hears the page', (kind) => {
  const { container } = render(<DeviceIcon kind={kind} does="off" />);
  expect(container.querySelectorAll('path').length).toBeGreaterThan(0);
  expect(container.firstElementChild?.getAttribute('aria-hidden')).toBe('true');
});

it('has a mark for what comes before what it does', () => {
  const { container, rerender } = render(<DeviceIcon kind="fan" does="on" mark="hand" />);
  const icon = container.firstElementChild;
  expect(icon?.getAttribute('data-does')).toBe('on');
  const marks = () => container.querySelectorAll('span span svg').length;
  expect(marks()).toBe(1);
  rerender(<DeviceIcon kind="fan" does="on" />);
  expect(marks()).toBe(0);
});
