// Tasks on the board: the four columns, their order, and what a move makes of it.
import type { Icon } from '@tabler/icons-react';
import type { ParseKeys } from 'i18next';
import Low from '~icon/ArrowDown';
import High from '~icon/ArrowUp';
import Medium from '~icon/Equal';
import Urgent from '~icon/Flame';
import Zone from '~icon/GridDots';
import Crop from '~icon/Plant2';
import Device from '~icon/Plug';
import type { components } from '../../api/schema';
import type { Tone } from '../../ui/tone';

export type Task = components['schemas']['Task'];
export type TaskStatus = Task['status'];
export type Priority = Task['priority'];
export type About = components['schemas']['TaskAboutInput'];

/** The columns, from left to right (spec 2.12). */
export const statuses: readonly TaskStatus[] = ['OPEN', 'IN_PROGRESS', 'IN_REVIEW', 'CLOSED'];

export const statusNames: Record<TaskStatus, ParseKeys> = {
  OPEN: 'tasks.status.OPEN',
  IN_PROGRESS: 'tasks.status.IN_PROGRESS',
  IN_REVIEW: 'tasks.status.IN_REVIEW',
  CLOSED: 'tasks.status.CLOSED',
};

/** The priorities, the most pressing first. */
export const priorities: readonly Priority[] = ['URGENT', 'HIGH', 'MEDIUM', 'LOW'];

export const priorityLooks: Record<Priority, { name: ParseKeys; tone: Tone; icon: Icon }> = {
  URGENT: { name: 'tasks.priorities.URGENT', tone: 'bad', icon: Urgent },
  HIGH: { name: 'tasks.priorities.HIGH', tone: 'warn', icon: High },
  MEDIUM: { name: 'tasks.priorities.MEDIUM', tone: 'active', icon: Medium },
  LOW: { name: 'tasks.priorities.LOW', tone: 'quiet', icon: Low },
};

/** What a task can be about, in the order in which a form offers it. */
export const aboutLooks: Record<About['kind'], { group: ParseKeys; icon: Icon }> = {
  CROP_CYCLE: { group: 'tasks.aboutCrops', icon: Crop },
  ZONE: { group: 'tasks.aboutZones', icon: Zone },
  DEVICE: { group: 'tasks.aboutDevices', icon: Device },
};

/** Where a task goes: into a column, after another task of it, or to its top. */
export interface Move {
  id: string;
  status: TaskStatus;
  afterId: string | null;
}

/** What a person may do with the tasks of a board. */
export interface BoardActions {
  /** Whether the person may change anything. */
  writes: boolean;
  onMove: (move: Move) => void;
  onDelete: (task: Task) => void;
  /** Where a task opens. */
  linkTo: (task: Task) => string;
}

/** A place between the cards of a column, counted without the card that moves. */
export interface Slot {
  status: TaskStatus;
  index: number;
}

/** The tasks of a column, in the order of the board. */
export function inColumn(tasks: readonly Task[], status: TaskStatus): Task[] {
  return tasks.filter((task) => task.status === status);
}

/** Where a task stands; undefined when it is not on the board any more. */
export function slotOf(tasks: readonly Task[], id: string): Slot | undefined {
  const task = tasks.find((candidate) => candidate.id === id);
  return task && { status: task.status, index: inColumn(tasks, task.status).indexOf(task) };
}

/** The move that puts a task into a slot of the cards that are shown; undefined where it stands there already. */
export function moveTo(shown: readonly Task[], id: string, slot: Slot): Move | undefined {
  const now = slotOf(shown, id);
  if (!now || (now.status === slot.status && now.index === slot.index)) return undefined;
  const others = inColumn(shown, slot.status).filter((task) => task.id !== id);
  const above = others[Math.min(slot.index, others.length) - 1];
  return { id, status: slot.status, afterId: above?.id ?? null };
}

/** The board after a move, as the server will have it: a neighbour that has left the column means its bottom. */
export function afterMove(tasks: readonly Task[], { id, status, afterId }: Move): Task[] {
  const task = tasks.find((candidate) => candidate.id === id);
  if (!task) return [...tasks];
  const columns = new Map(
    statuses.map((name) => [name, inColumn(tasks, name).filter((other) => other.id !== id)] as const),
  );
  const column = columns.get(status) ?? [];
  const above = column.findIndex((other) => other.id === afterId);
  const index = afterId === null ? 0 : above < 0 ? column.length : above + 1;
  column.splice(index, 0, {
    ...task,
    status,
    // Nothing that is closed is late; what comes back is judged by the server.
    isOverdue: task.isOverdue && status !== 'CLOSED',
  });
  return statuses.flatMap((name) => columns.get(name) ?? []);
}

/** The slot that an arrow key leads to from another; the counts are those of the columns without the card that moves. */
export function stepSlot(slot: Slot, key: string, counts: Record<TaskStatus, number>): Slot {
  const column = statuses.indexOf(slot.status);
  const sideways = (by: number): Slot => {
    const status = statuses[column + by] ?? slot.status;
    return { status, index: Math.min(slot.index, counts[status]) };
  };
  switch (key) {
    case 'ArrowUp':
      return { ...slot, index: Math.max(0, slot.index - 1) };
    case 'ArrowDown':
      return { ...slot, index: Math.min(counts[slot.status], slot.index + 1) };
    case 'ArrowLeft':
      return sideways(-1);
    case 'ArrowRight':
      return sideways(1);
    default:
      return slot;
  }
}

/** Which tasks a person wants to see. */
export interface Filter {
  /** Only those of this person. */
  mine: string | undefined;
  overdue: boolean;
}

export function matching(tasks: readonly Task[], filter: Filter): Task[] {
  return tasks.filter(
    (task) =>
      (filter.mine === undefined || task.assignee?.id === filter.mine) && (!filter.overdue || task.isOverdue),
  );
}
