// A task for those who may only read it: all of its description, which a card cuts short.
import { useTranslation } from 'react-i18next';
import { Report } from './Report';
import { CardFace } from './TaskCard';
import classes from './TaskRead.module.css';
import { statusNames, type Task } from './task';

export function TaskRead({ farmId, task }: { farmId: string; task: Task }) {
  const { t } = useTranslation();
  return (
    <div className={classes['read']}>
      <p className={classes['status']}>{t(statusNames[task.status])}</p>
      <CardFace task={task} />
      <Report farmId={farmId} task={task} />
    </div>
  );
}
