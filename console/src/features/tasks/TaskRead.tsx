// A task for those who may only read it: all of its description, which a card cuts short.
import { useTranslation } from 'react-i18next';
import { CardFace } from './TaskCard';
import classes from './TaskRead.module.css';
import { statusNames, type Task } from './task';

export function TaskRead({ task }: { task: Task }) {
  const { t } = useTranslation();
  return (
    <div className={classes['read']}>
      <p className={classes['status']}>{t(statusNames[task.status])}</p>
      <CardFace task={task} />
    </div>
  );
}
