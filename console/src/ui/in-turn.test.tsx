import { act, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { InTurn } from './InTurn';

afterEach(() => {
  vi.unstubAllGlobals();
});

it('draws one in a frame, each as it is by then, and nothing that has gone', () => {
  const frames: FrameRequestCallback[] = [];
  vi.stubGlobal('requestAnimationFrame', (frame: FrameRequestCallback) => frames.push(frame));
  const frame = () => act(() => frames.shift()?.(0));
  const page = (names: readonly string[], version: number) =>
    names.map((name) => (
      <InTurn key={name}>
        <p>
          {name} {version}
        </p>
      </InTurn>
    ));
  const said = () => screen.queryAllByText(/\d/).map(({ textContent }) => textContent);

  const { rerender } = render(page(['a', 'b', 'c'], 1));
  expect(said()).toEqual([]);
  frame();
  expect(said()).toEqual(['a 1']);
  rerender(page(['a', 'b'], 2));
  frame();
  frame();
  expect(said()).toEqual(['a 2', 'b 2']);
  frame();
  expect(frames).toEqual([]);
});
