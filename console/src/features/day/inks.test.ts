import { expect, it } from 'vitest';
import { dark, light, sunlight } from '../../ui/tokens';
import { inksOf } from './inks';

it('draws each quantity in its hue, and tells curves of one quantity apart', () => {
  const { curves } = inksOf(light, ['temperature', 'humidity', 'temperature', 'ec', 'temperature']);
  expect([curves[0], curves[1], curves[3]]).toEqual([light.inkHeat, light.inkAir, light.inkFeed]);
  expect(new Set(curves).size).toBe(5);
});

it('draws what has no hue in the ink of everything that is set', () => {
  for (const palette of [light, dark, sunlight])
    expect(inksOf(palette, ['pressure']).curves).toEqual([palette.brand]);
});
