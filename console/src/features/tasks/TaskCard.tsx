// A task as a card. What it says is drawn by CardFace, so that the card that flies with the pointer looks the same.
import { useDraggable } from '@dnd-kit/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import Due from '~icon/Calendar';
import Overdue from '~icon/CalendarExclamation';
import Camera from '~icon/Camera';
import Grip from '~icon/GripVertical';
import Category from '~icon/Tag';
import Person from '~icon/User';
import { useFormat } from '../../i18n/format';
import { Link } from '../../screen/Link';
import { StatePill } from '../../ui/StatePill';
import classes from './TaskCard.module.css';
import { TaskMenu } from './TaskMenu';
import { aboutLooks, type BoardActions, priorityLooks, type Task } from './task';

interface Props extends BoardActions {
  task: Task;
  /** It is being dragged: here only its shadow remains. */
  held: boolean;
  /** All cards of its column. */
  column: readonly Task[];
}

export function TaskCard({ task, held, column, ...actions }: Props) {
  const { t } = useTranslation();
  const { attributes, listeners, setNodeRef, setActivatorNodeRef } = useDraggable({
    id: task.id,
    disabled: !actions.writes,
  });
  const title = (
    <Link to={actions.linkTo(task)} draggable={false}>
      {task.title}
    </Link>
  );
  if (!actions.writes) {
    return (
      <li className={classes['card']} data-task={task.id}>
        <CardFace task={task} title={title} />
      </li>
    );
  }
  return (
    <li
      ref={setNodeRef}
      className={classes['card']}
      data-task={task.id}
      data-held={held}
      data-draggable
      {...listeners}
    >
      <CardFace
        task={task}
        title={title}
        handle={
          // The keys take a card by its handle; mouse and finger take it anywhere.
          <button
            ref={setActivatorNodeRef}
            type="button"
            className={classes['handle']}
            aria-label={t('tasks.dragOf', { title: task.title })}
            aria-describedby={attributes['aria-describedby']}
            aria-roledescription={t('tasks.draggable')}
          >
            <Grip size={20} aria-hidden />
          </button>
        }
        menu={<TaskMenu task={task} column={column} {...actions} />}
      />
    </li>
  );
}

interface FaceProps {
  task: Task;
  title?: ReactNode;
  handle?: ReactNode;
  menu?: ReactNode;
}

export function CardFace({ task, title, handle, menu }: FaceProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { name, tone, icon } = priorityLooks[task.priority];
  const About = task.about && aboutLooks[task.about.kind].icon;
  return (
    <>
      <div className={classes['head']}>
        {handle}
        <h3>{title ?? task.title}</h3>
        {menu}
      </div>
      <p className={classes['pills']}>
        <StatePill tone={tone} word={t(name)} icon={icon} />
        {task.isOverdue && <StatePill tone="bad" word={t('tasks.overdue')} icon={Overdue} />}
      </p>
      {task.description && <p className={classes['description']}>{task.description}</p>}
      {(task.note || task.photoAt !== null) && (
        <p className={classes['description']}>
          {task.photoAt !== null && (
            <Camera size={18} role="img" aria-label={t('work.photoOf', { title: task.title })} />
          )}{' '}
          {task.note && t('work.noted', { note: task.note })}
        </p>
      )}
      <dl className={classes['facts']}>
        {task.about && About && (
          <Fact name={t('tasks.about')} icon={<About size={18} aria-hidden />}>
            {task.about.name ?? t('tasks.aboutGone')}
          </Fact>
        )}
        {task.category && (
          <Fact name={t('tasks.category')} icon={<Category size={18} aria-hidden />}>
            {task.category}
          </Fact>
        )}
        <Fact name={t('tasks.assignee')} icon={<Person size={18} aria-hidden />}>
          {task.assignee?.name ?? t('tasks.nobody')}
        </Fact>
        <Fact name={t('tasks.dueDate')} icon={<Due size={18} aria-hidden />} late={task.isOverdue}>
          <time dateTime={task.dueDate}>{format.dayOfMonth(task.dueDate)}</time>
        </Fact>
      </dl>
    </>
  );
}

function Fact({
  name,
  icon,
  late = false,
  children,
}: {
  name: string;
  icon: ReactNode;
  late?: boolean;
  children: ReactNode;
}) {
  return (
    <div data-late={late}>
      <dt>
        {icon}
        <span className={classes['name']}>{name}</span>
      </dt>
      <dd>{children}</dd>
    </div>
  );
}
