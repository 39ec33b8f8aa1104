import { expect, it } from 'vitest';
import { ask, showQuestions } from './questions';

it('asks what was tapped before anything could show it, once, and the last of it', () => {
  const asked: string[] = [];
  ask(() => asked.push('first'));
  ask(() => asked.push('second'));
  expect(asked).toEqual([]);
  const gone = showQuestions();
  expect(asked).toEqual(['second']);
  ask(() => asked.push('third'));
  gone();
  ask(() => asked.push('fourth'));
  expect(asked).toEqual(['second', 'third']);
  showQuestions()();
  expect(asked).toEqual(['second', 'third', 'fourth']);
});
