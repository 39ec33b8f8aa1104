// What can be done to a card without dragging it: another column, up or down in its own, edit, delete.
import '@mantine/core/styles/Menu.css';
import { ActionIcon, Menu } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import Down from '~icon/ArrowDown';
import To from '~icon/ArrowRight';
import Up from '~icon/ArrowUp';
import Dots from '~icon/DotsVertical';
import Edit from '~icon/Pencil';
import Remove from '~icon/Trash';
import { otherStatuses } from './drag';
import { type BoardActions, moveTo, statusNames, type Task, type TaskStatus } from './task';

interface Props extends BoardActions {
  task: Task;
  column: readonly Task[];
}

export function TaskMenu({ task, column, onMove, onDelete, linkTo }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const index = column.indexOf(task);
  const nudge = (by: number) => {
    const move = moveTo(column, task.id, { status: task.status, index: index + by });
    if (move) onMove(move);
  };
  const send = (status: TaskStatus) => onMove({ id: task.id, status, afterId: null });
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="var(--h-ink)"
          size="3rem"
          aria-label={t('tasks.menuOf', { title: task.title })}
        >
          <Dots size={22} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      {/* React hands events of the portal to the card below: they must not take it. */}
      <Menu.Dropdown onMouseDown={stop} onTouchStart={stop}>
        <Menu.Label>{t('tasks.moveTo')}</Menu.Label>
        {otherStatuses(task.status).map((status) => (
          <Menu.Item key={status} leftSection={<To size={20} aria-hidden />} onClick={() => send(status)}>
            {t(statusNames[status])}
          </Menu.Item>
        ))}
        {index > 0 && (
          <Menu.Item leftSection={<Up size={20} aria-hidden />} onClick={() => nudge(-1)}>
            {t('tasks.up')}
          </Menu.Item>
        )}
        {index < column.length - 1 && (
          <Menu.Item leftSection={<Down size={20} aria-hidden />} onClick={() => nudge(1)}>
            {t('tasks.down')}
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item leftSection={<Edit size={20} aria-hidden />} onClick={() => void navigate(linkTo(task))}>
          {t('tasks.edit')}
        </Menu.Item>
        <Menu.Item
          color="var(--h-bad)"
          leftSection={<Remove size={20} aria-hidden />}
          onClick={() => onDelete(task)}
        >
          {t('tasks.delete')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const stop = (event: { stopPropagation(): void }) => event.stopPropagation();
