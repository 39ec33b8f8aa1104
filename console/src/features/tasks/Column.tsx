// One column of the board. While a card is held, a mark stands where it would land.
import { useDroppable } from '@dnd-kit/core';
import { Fragment, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../i18n/format';
import classes from './Board.module.css';
import type { DropData, Held } from './drag';
import { TaskCard } from './TaskCard';
import { type BoardActions, statusNames, type Task, type TaskStatus } from './task';

interface Props extends BoardActions {
  status: TaskStatus;
  tasks: readonly Task[];
  current: boolean;
  held: Held | undefined;
  heldTask: Task | undefined;
  filtered: boolean;
}

export function Column({ status, tasks, current, held, heldTask, filtered, ...actions }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const data: DropData = { status, tab: false };
  const { setNodeRef } = useDroppable({ id: `column:${status}`, data });
  const slot = held?.slot?.status === status ? held.slot : undefined;
  const own = tasks.findIndex((task) => task.id === held?.id);
  // The mark stands between the other cards; where the card is already, there is none.
  const others = tasks.filter((task) => task.id !== held?.id);
  const before = slot && slot.index !== own ? (others[slot.index]?.id ?? null) : undefined;
  const mark = heldTask && <Mark title={heldTask.title} byKeys={held?.byKeys ?? false} />;
  return (
    <section
      ref={setNodeRef}
      className={classes['column']}
      aria-labelledby={`column-${status}`}
      data-column={status}
      data-current={current}
      data-over={slot !== undefined}
    >
      <h2 id={`column-${status}`}>
        {t(statusNames[status])} <span className={classes['number']}>{format.count(tasks.length)}</span>
      </h2>
      {tasks.length === 0 && before === undefined && (
        <p className={classes['empty']}>{t(filtered ? 'tasks.emptyFiltered' : 'tasks.empty')}</p>
      )}
      {/* biome-ignore lint/a11y/noRedundantRoles: drawn without bullets it loses its role otherwise */}
      <ul role="list" className={classes['cards']}>
        {tasks.map((task) => (
          <Fragment key={task.id}>
            {before === task.id && mark}
            <TaskCard task={task} held={task.id === held?.id} column={tasks} {...actions} />
          </Fragment>
        ))}
        {before === null && mark}
      </ul>
    </section>
  );
}

/** Where the card would land: a line under the pointer; for the arrow keys, which carry no card, its title too. */
function Mark({ title, byKeys }: { title: string; byKeys: boolean }) {
  const here = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (byKeys) here.current?.scrollIntoView({ block: 'nearest' });
  }, [byKeys]);
  return (
    <li ref={here} className={classes['mark']} data-by-keys={byKeys} data-testid="mark" aria-hidden>
      {byKeys && title}
    </li>
  );
}
