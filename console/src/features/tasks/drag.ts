// How a card is taken, where it would land, and what is said about it. Slots are read from the page as it stands, so that
// cards that come, go or scroll while one is held do not matter.
import {
  type CollisionDetection,
  KeyboardSensor,
  MouseSensor,
  TouchSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import { type RefObject, useMemo, useRef, useState } from 'react';
import { type Slot, statuses, stepSlot, type Task, type TaskStatus } from './task';

/** Farther than this the mouse drags, nearer it clicks. */
const MOUSE_PX = 5;
/** How long a finger rests before it takes a card, and how far it may tremble meanwhile; sooner it scrolls. */
const TOUCH_MS = 120;
const TOUCH_PX = 8;

/** A card held over the tab of another column for so long opens that column. */
export const OPEN_TAB_MS = 600;

/** What takes drops: a column, or on a phone the tab of one. */
export interface DropData {
  status: TaskStatus;
  tab: boolean;
}

/** The card that is held, and where it would land; no slot: nowhere. */
export interface Held {
  id: string;
  slot: Slot | undefined;
  /** By the arrow keys: the card stays, its place is shown. */
  byKeys: boolean;
}

/** The part of a droppable that a slot is found by. */
interface Target {
  id: string | number;
  data: DropData;
  element: HTMLElement;
}

/** What is under a point, and the slot there; the tab of the card's own column is no place to drop it, only to open. */
export function slotUnder(
  point: { x: number; y: number },
  targets: readonly Target[],
  task: { id: string; status: TaskStatus },
): { target: Target; slot: Slot | undefined } | undefined {
  const target = targets.find(({ element }) => {
    const box = element.getBoundingClientRect();
    return point.x >= box.left && point.x <= box.right && point.y >= box.top && point.y <= box.bottom;
  });
  if (!target) return undefined;
  const { status, tab } = target.data;
  if (tab) return { target, slot: status === task.status ? undefined : { status, index: 0 } };
  const above = [...target.element.querySelectorAll<HTMLElement>('[data-task]')].filter((card) => {
    const box = card.getBoundingClientRect();
    return card.dataset['task'] !== task.id && box.top + box.height / 2 < point.y;
  });
  return { target, slot: { status, index: above.length } };
}

/** How many cards each column has without the one that is held. */
function counts(tasks: readonly Task[], held: string): Record<TaskStatus, number> {
  const empty: Record<TaskStatus, number> = { OPEN: 0, IN_PROGRESS: 0, IN_REVIEW: 0, CLOSED: 0 };
  for (const task of tasks) if (task.id !== held) empty[task.status] += 1;
  return empty;
}

/** The state of a drag, and what the drag library needs to make one. `onSlot` hears each new place of the arrow keys. */
export function useHolding(shown: readonly Task[], onSlot: (slot: Slot) => void) {
  const [held, setHeld] = useState<Held>();
  // The library's callbacks outlive a render.
  const now = useRef({ held, shown, onSlot });
  now.current = { held, shown, onSlot };
  const sensors = useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: MOUSE_PX } }),
    useSensor(TouchSensor, { activationConstraint: { delay: TOUCH_MS, tolerance: TOUCH_PX } }),
    useSensor(KeyboardSensor, {
      coordinateGetter: (event, { currentCoordinates }) => {
        const { held: card, shown: tasks, onSlot: tell } = now.current;
        if (!card?.slot || !event.code.startsWith('Arrow')) return undefined;
        event.preventDefault();
        const slot = stepSlot(card.slot, event.code, counts(tasks, card.id));
        if (slot.status !== card.slot.status || slot.index !== card.slot.index) {
          setHeld({ ...card, slot });
          tell(slot);
        }
        // Nothing moves on screen but the mark of the place.
        return currentCoordinates;
      },
    }),
  );
  const collisions = useCollisions(now);
  return { held, setHeld, sensors, collisions };
}

/** Finds the slot under the pointer; for the arrow keys it is the one they chose. */
function useCollisions(
  now: RefObject<{ held: Held | undefined; shown: readonly Task[] }>,
): CollisionDetection {
  return useMemo(
    () =>
      ({ active, droppableContainers, pointerCoordinates }) => {
        const targets = droppableContainers.flatMap(({ id, data, node }): Target[] =>
          node.current && data.current ? [{ id, data: data.current as DropData, element: node.current }] : [],
        );
        if (!pointerCoordinates) {
          const slot = now.current.held?.slot;
          const column = targets.find(({ data }) => !data.tab && data.status === slot?.status);
          return column && slot ? [{ id: column.id, data: { slot } }] : [];
        }
        const task = now.current.shown.find(({ id }) => id === active.id);
        const found = task && slotUnder(pointerCoordinates, targets, task);
        return found ? [{ id: found.target.id, data: { slot: found.slot } }] : [];
      },
    [now],
  );
}

/** A card's place for people: counted from 1, with the card itself. */
export function placeIn(tasks: readonly Task[], id: string, slot: Slot): { position: number; total: number } {
  return { position: slot.index + 1, total: counts(tasks, id)[slot.status] + 1 };
}

/** The column before or after, for the menu of a card. */
export function otherStatuses(status: TaskStatus): TaskStatus[] {
  return statuses.filter((other) => other !== status);
}
