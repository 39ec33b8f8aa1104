// The tab of a column on a phone: opens it, and takes a card that is dropped on it. A card held over it opens it too.
import { useDroppable } from '@dnd-kit/core';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../i18n/format';
import classes from './Board.module.css';
import { type DropData, OPEN_TAB_MS } from './drag';
import { statusNames, type TaskStatus } from './task';

interface Props {
  status: TaskStatus;
  count: number;
  current: boolean;
  onOpen: () => void;
}

export function ColumnTab({ status, count, current, onOpen }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const data: DropData = { status, tab: true };
  const { setNodeRef, isOver } = useDroppable({ id: `tab:${status}`, data });
  const open = useRef(onOpen);
  open.current = onOpen;
  useEffect(() => {
    if (!isOver) return;
    const timer = setTimeout(() => open.current(), OPEN_TAB_MS);
    return () => clearTimeout(timer);
  }, [isOver]);
  return (
    <button
      ref={setNodeRef}
      type="button"
      className={classes['tab']}
      aria-pressed={current}
      data-over={isOver}
      data-tab={status}
      onClick={onOpen}
    >
      {t(statusNames[status])} <span className={classes['number']}>{format.count(count)}</span>
    </button>
  );
}
