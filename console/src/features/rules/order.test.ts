import { describe, expect, it } from 'vitest';
import { grouped, isBlind, matching, ordered } from './order';
import type { Rule, Sight, Sights } from './queries';
import { draft, running } from './samples';

const rule = (id: string, priority: number, change: Partial<Rule> = {}): Rule => ({
  ...running,
  id,
  name: id,
  priority,
  ...change,
});
const sight = (value: number | null): Sight => ({
  place: { type: 'farm' },
  own: true,
  sensors: 1,
  fresh: value === null ? 0 : 1,
  value,
  readAt: null,
  holds: null,
});
const seen = (id: string, trigger: number | null, stop: number | null = 1): Sights => ({
  rule: id,
  parts: [],
  trigger: sight(trigger),
  stop: sight(stop),
});

describe('rules', () => {
  it('that cannot see stand first, then the strongest, then by name', () => {
    const rules = [rule('b', 5), rule('a', 5), rule('strong', 9), rule('blind', 1), rule('blind stop', 2)];
    const told = [seen('strong', 30), seen('blind', null), seen('blind stop', 30, null)];
    expect(ordered(rules, told).map(({ id }) => id)).toEqual(['blind stop', 'blind', 'strong', 'a', 'b']);
    expect(ordered(rules, []).map(({ id }) => id)).toEqual(['strong', 'a', 'b', 'blind stop', 'blind']);
  });

  it('are not called blind while they are off or drafts, or nothing is known', () => {
    const blind = [seen('rule', null)];
    expect(isBlind(rule('rule', 1), blind)).toBe(true);
    expect(isBlind(rule('rule', 1, { mode: 'disabled' }), blind)).toBe(false);
    expect(isBlind({ ...draft, id: 'rule' }, blind)).toBe(false);
    expect(isBlind(rule('rule', 1), [])).toBe(false);
    expect(isBlind(rule('rule', 1), [{ ...seen('rule', 30), stop: null }])).toBe(false);
  });

  it('are found by every word of name, sentence or description, at a place', () => {
    const told = [
      { rule: rule('Cool East', 1, { description: 'both fans' }), place: 'East', sentence: 'turn on Fan 1' },
      { rule: rule('Dry West', 1), place: 'West', sentence: 'open the vents' },
    ];
    const names = (text: string, place = '') => matching(told, { text, place }).map((each) => each.rule.name);
    expect(names('')).toEqual(['Cool East', 'Dry West']);
    expect(names(' FAN cool')).toEqual(['Cool East']);
    expect(names('vents', 'East')).toEqual([]);
    expect(names('', 'West')).toEqual(['Dry West']);
  });

  it('stand by house: first where one cannot see, the whole farm last', () => {
    const at = (place: string, type: 'farm' | 'polyhouse' = 'polyhouse') => ({
      rule: rule(place, 1, { scope: { type } }),
      place,
      sentence: '',
    });
    const told = [at('Whole farm', 'farm'), at('West'), at('East'), at('North')];
    const places = (told_: typeof told, blind: string[] = []) =>
      grouped(
        told_,
        blind.map((id) => seen(id, null)),
        (a, b) => a.localeCompare(b),
      ).map(({ place }) => place);
    expect(places(told)).toEqual(['East', 'North', 'West', 'Whole farm']);
    expect(places(told, ['West'])).toEqual(['West', 'East', 'North', 'Whole farm']);
    expect(places([])).toEqual([]);
  });
});
