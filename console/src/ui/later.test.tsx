import { render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { markShown, turnAfterFirst } from './first';
import { loadable, untilLoaded } from './later';

const Part = ({ name }: { name: string }) => <p>part {name}</p>;

it('asks again until the code has come, and says so meanwhile', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const load = vi.fn(async () => {
    if (load.mock.calls.length < 3) throw new TypeError('no network');
    return Part;
  });
  const Shown = loadable(load, { Meanwhile: () => <p>waiting</p>, Failed: () => <p>not yet</p> });
  const { unmount } = render(<Shown name="one" />);
  expect(screen.getByText('waiting')).toBeTruthy();
  await screen.findByText('not yet');
  await vi.advanceTimersByTimeAsync(3_000);
  await screen.findByText('not yet');
  await vi.advanceTimersByTimeAsync(3_000);
  await screen.findByText('part one');
  expect(load).toHaveBeenCalledTimes(3);
  unmount();
  // From then on at once.
  render(<Shown name="two" />);
  expect(screen.getByText('part two')).toBeTruthy();
});

it('does not wait when the browser says that there is a network again', async () => {
  let isDown = true;
  const load = async () => {
    if (isDown) throw new TypeError('no network');
    return 'here';
  };
  const failed = vi.fn();
  const loaded = untilLoaded(load, failed, 1_000_000);
  await vi.waitFor(() => expect(failed).toHaveBeenCalled());
  isDown = false;
  window.dispatchEvent(new Event('online'));
  expect(await loaded).toBe('here');
});

it('is not asked for before its time', async () => {
  let go = () => {};
  const load = vi.fn(async () => Part);
  const time = new Promise<void>((wake) => {
    go = wake;
  });
  const Shown = loadable(load, { after: () => time });
  render(<Shown name="later" />);
  await new Promise((wake) => setTimeout(wake, 20));
  expect(load).not.toHaveBeenCalled();
  go();
  await screen.findByText('part later');
});

it('comes one after another after the first values, each in a task of its own', async () => {
  const [one, two] = [turnAfterFirst(), turnAfterFirst()];
  let hasTwo = false;
  void two.then(() => {
    hasTwo = true;
  });
  markShown();
  await one;
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  expect(hasTwo).toBe(false);
  await two;
});
