// The parts of an explanation, which come with their texts once somebody asks.
import { loadArea } from '../../i18n/i18n';
import { later } from '../../ui/later';

async function withTexts<T>(code: Promise<T>): Promise<T> {
  const [loaded] = await Promise.all([code, loadArea('explained')]);
  return loaded;
}

export const Ladder = later(async () => (await withTexts(import('./Ladder'))).Ladder);
export const RuleWhy = later(async () => (await withTexts(import('./RuleWhy'))).RuleWhy);
export const TryRule = later(async () => (await withTexts(import('./TryRule'))).TryRule);
export const WhyNot = later(async () => (await withTexts(import('./WhyNot'))).WhyNot);
