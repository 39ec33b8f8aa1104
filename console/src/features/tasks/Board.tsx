// The four columns, and cards that go between them by mouse, finger or keys. On a phone one column is shown at a time, under
// tabs that take cards too; nothing scrolls sideways.
import {
  DndContext,
  type DragEndEvent,
  type DragMoveEvent,
  DragOverlay,
  MeasuringStrategy,
} from '@dnd-kit/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../i18n/format';
import classes from './Board.module.css';
import { Column } from './Column';
import { ColumnTab } from './ColumnTab';
import { placeIn, useHolding } from './drag';
import { CardFace } from './TaskCard';
import {
  afterMove,
  type BoardActions,
  inColumn,
  type Move,
  moveTo,
  type Slot,
  slotOf,
  statuses,
  statusNames,
  type Task,
  type TaskStatus,
} from './task';

/** When a closing menu has settled where the focus goes. */
const FOCUS_AFTER_MS = 50;

interface Props extends BoardActions {
  tasks: readonly Task[];
  /** The column that a phone shows. */
  column: TaskStatus;
  onColumn: (status: TaskStatus) => void;
  /** Why a column may be empty: a filter hides its cards. */
  filtered: boolean;
}

export function Board({ tasks, column, onColumn, filtered, ...actions }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const [spoken, setSpoken] = useState('');
  const [followed, setFollowed] = useState<string>();
  const board = useRef<HTMLDivElement>(null);

  const place = (id: string, slot: Slot) => {
    const { position, total } = placeIn(tasks, id, slot);
    return {
      title: tasks.find((task) => task.id === id)?.title ?? '',
      column: t(statusNames[slot.status]),
      position: format.count(position),
      total: format.count(total),
    };
  };
  const { held, setHeld, sensors, collisions } = useHolding(tasks, (slot) => {
    if (held) setSpoken(t('tasks.spoken.over', place(held.id, slot)));
    onColumn(slot.status);
  });
  const card = tasks.find((task) => task.id === held?.id);

  const follow = ({ collisions: found }: DragMoveEvent) => {
    if (!held || held.byKeys) return;
    const slot = found?.[0]?.data?.['slot'] as Slot | undefined;
    if (slot?.status === held.slot?.status && slot?.index === held.slot?.index) return;
    setHeld({ ...held, slot });
    setSpoken(
      slot ? t('tasks.spoken.over', place(held.id, slot)) : t('tasks.spoken.nowhere', { title: card?.title }),
    );
  };
  const letGo = () => {
    if (card)
      setSpoken(t('tasks.spoken.cancelled', { title: card.title, column: t(statusNames[card.status]) }));
    setHeld(undefined);
  };
  const drop = ({ collisions: found }: DragEndEvent) => {
    const slot = held?.byKeys ? held.slot : (found?.[0]?.data?.['slot'] as Slot | undefined);
    // Outside a column or at the same position: nothing happens.
    const move = held && slot && moveTo(tasks, held.id, slot);
    if (!held || !slot || !move) return letGo();
    setSpoken(t('tasks.spoken.dropped', place(held.id, slot)));
    setHeld(undefined);
    actions.onMove(move);
  };

  // The card is drawn anew where it went: the focus goes with it.
  const moveByMenu = (move: Move) => {
    const slot = slotOf(afterMove(tasks, move), move.id);
    if (slot) setSpoken(t('tasks.spoken.dropped', place(move.id, slot)));
    actions.onMove(move);
    setFollowed(move.id);
  };
  useEffect(() => {
    if (!followed) return;
    // After the menu has given the focus back to a button that is gone.
    const timer = setTimeout(() => {
      board.current?.querySelector<HTMLElement>(`[data-task="${followed}"] [aria-haspopup]`)?.focus();
      setFollowed(undefined);
    }, FOCUS_AFTER_MS);
    return () => clearTimeout(timer);
  }, [followed]);

  return (
    <DndContext
      sensors={sensors}
      collisionDetection={collisions}
      measuring={{ droppable: { strategy: MeasuringStrategy.BeforeDragging } }}
      accessibility={{
        screenReaderInstructions: { draggable: t('tasks.dragHelp') },
        // The board speaks for itself, below: the library knows columns, not places in them.
        announcements: silent,
      }}
      onDragStart={({ active, activatorEvent }) => {
        const id = String(active.id);
        const slot = slotOf(tasks, id);
        setHeld({ id, slot, byKeys: activatorEvent instanceof KeyboardEvent });
        if (slot) setSpoken(t('tasks.spoken.taken', place(id, slot)));
      }}
      onDragMove={follow}
      onDragOver={follow}
      onDragEnd={drop}
      onDragCancel={letGo}
    >
      <div className={classes['columns']}>
        <nav className={classes['tabs']} aria-label={t('tasks.columns')}>
          {statuses.map((status) => (
            <ColumnTab
              key={status}
              status={status}
              count={inColumn(tasks, status).length}
              current={status === column}
              onOpen={() => onColumn(status)}
            />
          ))}
        </nav>
        <div ref={board} className={classes['board']} data-testid="board">
          {statuses.map((status) => (
            <Column
              key={status}
              status={status}
              tasks={inColumn(tasks, status)}
              current={status === column}
              held={held}
              heldTask={card}
              filtered={filtered}
              {...actions}
              onMove={moveByMenu}
            />
          ))}
        </div>
      </div>
      <DragOverlay dropAnimation={null}>
        {card && !held?.byKeys && (
          <div className={classes['flying']}>
            <CardFace task={card} />
          </div>
        )}
      </DragOverlay>
      <p className={classes['spoken']} role="status" aria-live="assertive" data-testid="spoken">
        {spoken}
      </p>
    </DndContext>
  );
}

const nothing = () => undefined;
const silent = {
  onDragStart: nothing,
  onDragMove: nothing,
  onDragOver: nothing,
  onDragEnd: nothing,
  onDragCancel: nothing,
};
