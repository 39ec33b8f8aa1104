import { describe, expect, it } from 'vitest';
import { slotUnder } from './drag';
import { afterMove, matching, moveTo, slotOf, stepSlot, type Task, type TaskStatus } from './task';

const task = (id: string, status: TaskStatus, over: Partial<Task> = {}): Task => ({
  etag: 'v1',
  id,
  title: id,
  description: null,
  note: null,
  photoAt: null,
  assignee: null,
  dueDate: '2026-11-21',
  category: null,
  about: null,
  priority: 'MEDIUM',
  status,
  isOverdue: false,
  createdAt: 0,
  updatedAt: 0,
  ...over,
});

const board = [task('a', 'OPEN'), task('b', 'OPEN'), task('c', 'OPEN'), task('d', 'IN_PROGRESS')];
const ids = (tasks: readonly Task[]) => tasks.map(({ id, status }) => `${id}:${status}`).join(' ');

describe('a move', () => {
  it.each([
    ['to the top', { id: 'c', status: 'OPEN', afterId: null }, 'c:OPEN a:OPEN b:OPEN d:IN_PROGRESS'],
    ['behind another', { id: 'a', status: 'OPEN', afterId: 'b' }, 'b:OPEN a:OPEN c:OPEN d:IN_PROGRESS'],
    [
      'into a column',
      { id: 'a', status: 'IN_PROGRESS', afterId: 'd' },
      'b:OPEN c:OPEN d:IN_PROGRESS a:IN_PROGRESS',
    ],
    [
      'behind one that left: the bottom',
      { id: 'a', status: 'OPEN', afterId: 'd' },
      'b:OPEN c:OPEN a:OPEN d:IN_PROGRESS',
    ],
    ['into an empty column', { id: 'd', status: 'CLOSED', afterId: null }, 'a:OPEN b:OPEN c:OPEN d:CLOSED'],
    [
      'of a task that is gone',
      { id: 'x', status: 'CLOSED', afterId: null },
      'a:OPEN b:OPEN c:OPEN d:IN_PROGRESS',
    ],
  ] as const)('%s', (_, move, expected) => {
    expect(ids(afterMove(board, move))).toBe(expected);
  });

  it('into Closed is not late any more', () => {
    const late = [task('a', 'OPEN', { isOverdue: true })];
    expect(afterMove(late, { id: 'a', status: 'CLOSED', afterId: null })[0]?.isOverdue).toBe(false);
    expect(afterMove(late, { id: 'a', status: 'IN_REVIEW', afterId: null })[0]?.isOverdue).toBe(true);
  });

  it('names the card above, and is none at the same position', () => {
    expect(moveTo(board, 'a', { status: 'OPEN', index: 0 })).toBeUndefined();
    expect(moveTo(board, 'a', { status: 'OPEN', index: 1 })).toEqual({
      id: 'a',
      status: 'OPEN',
      afterId: 'b',
    });
    expect(moveTo(board, 'c', { status: 'OPEN', index: 0 })).toEqual({
      id: 'c',
      status: 'OPEN',
      afterId: null,
    });
    expect(moveTo(board, 'a', { status: 'IN_PROGRESS', index: 9 })?.afterId).toBe('d');
    expect(moveTo(board, 'x', { status: 'OPEN', index: 0 })).toBeUndefined();
  });

  it('lands in the slot that was meant', () => {
    for (const id of ['a', 'b', 'c', 'd'])
      for (const status of ['OPEN', 'IN_PROGRESS', 'CLOSED'] as const)
        for (const index of [0, 1, 2]) {
          const move = moveTo(board, id, { status, index });
          const others = board.filter((other) => other.status === status && other.id !== id).length;
          if (move)
            expect(slotOf(afterMove(board, move), id)).toEqual({ status, index: Math.min(index, others) });
        }
  });
});

describe('arrow keys', () => {
  const counts = { OPEN: 3, IN_PROGRESS: 1, IN_REVIEW: 0, CLOSED: 2 };
  it.each([
    ['ArrowUp', { status: 'OPEN', index: 0 }, { status: 'OPEN', index: 0 }],
    ['ArrowDown', { status: 'OPEN', index: 2 }, { status: 'OPEN', index: 3 }],
    ['ArrowDown', { status: 'OPEN', index: 3 }, { status: 'OPEN', index: 3 }],
    ['ArrowRight', { status: 'OPEN', index: 3 }, { status: 'IN_PROGRESS', index: 1 }],
    ['ArrowRight', { status: 'CLOSED', index: 1 }, { status: 'CLOSED', index: 1 }],
    ['ArrowLeft', { status: 'OPEN', index: 1 }, { status: 'OPEN', index: 1 }],
    ['ArrowLeft', { status: 'IN_REVIEW', index: 0 }, { status: 'IN_PROGRESS', index: 0 }],
    ['KeyQ', { status: 'OPEN', index: 1 }, { status: 'OPEN', index: 1 }],
  ] as const)('%s', (key, from, to) => {
    expect(stepSlot(from, key, counts)).toEqual(to);
  });
});

describe('the slot under the pointer', () => {
  const at = (element: HTMLElement, left: number, top: number, width: number, height: number) => {
    element.getBoundingClientRect = () => new DOMRect(left, top, width, height);
    return element;
  };
  const column = at(document.createElement('section'), 0, 0, 100, 500);
  for (const [index, id] of ['a', 'b', 'c'].entries()) {
    const card = document.createElement('li');
    card.dataset['task'] = id;
    column.append(at(card, 0, index * 100, 100, 100));
  }
  const targets = [
    {
      id: 'tab',
      data: { status: 'OPEN' as const, tab: true },
      element: at(document.createElement('b'), 0, -50, 50, 40),
    },
    {
      id: 'tab2',
      data: { status: 'CLOSED' as const, tab: true },
      element: at(document.createElement('b'), 60, -50, 40, 40),
    },
    { id: 'column', data: { status: 'OPEN' as const, tab: false }, element: column },
  ];
  const under = (x: number, y: number) => slotUnder({ x, y }, targets, { id: 'a', status: 'OPEN' });

  it.each([
    [10, 40, 0],
    [10, 149, 0],
    [10, 151, 1],
    [10, 251, 2],
    [10, 480, 2],
  ])('%d, %d is before the card whose middle is below', (x, y, index) => {
    expect(under(x, y)?.slot).toEqual({ status: 'OPEN', index });
  });
  it('is nowhere outside a column', () => {
    expect(under(120, 40)).toBeUndefined();
    expect(under(10, 501)).toBeUndefined();
  });
  it('is the top of the column of another tab, and no place on its own', () => {
    expect(under(80, -20)?.slot).toEqual({ status: 'CLOSED', index: 0 });
    expect(under(10, -20)?.target.id).toBe('tab');
    expect(under(10, -20)?.slot).toBeUndefined();
  });
});

it('filters by person and by lateness', () => {
  const tasks = [
    task('a', 'OPEN', { assignee: { id: 'u1', name: 'Asha' }, isOverdue: true }),
    task('b', 'OPEN', { assignee: { id: 'u1', name: 'Asha' } }),
    task('c', 'OPEN', { isOverdue: true }),
  ];
  expect(matching(tasks, { mine: undefined, overdue: false })).toHaveLength(3);
  expect(ids(matching(tasks, { mine: 'u1', overdue: false }))).toBe('a:OPEN b:OPEN');
  expect(ids(matching(tasks, { mine: 'u1', overdue: true }))).toBe('a:OPEN');
  expect(ids(matching(tasks, { mine: undefined, overdue: true }))).toBe('a:OPEN c:OPEN');
});
