// A worker's home: what he has to do, the houses and the devices that he was given. STOP is in the frame.
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { FarmPageProps } from '../../api/farms';
import { workQuery } from '../../api/work';
import { QueryState } from '../../screen/QueryState';
import { PageLayout } from '../../ui/PageLayout';
import { DeviceItem } from './DeviceItem';
import { HouseItem } from './HouseItem';
import { TaskItem } from './TaskItem';
import classes from './work.module.css';

export default function Work({ farmId }: FarmPageProps) {
  const { t } = useTranslation();
  const query = useQuery(workQuery(farmId));
  return (
    <PageLayout title={t('nav.work')}>
      <QueryState query={query} failed={t('work.failed')} shape={<Skeleton height={320} radius="md" />}>
        {({ tasks, houses, devices }) => (
          <>
            <section className={classes['section']} aria-labelledby="own-tasks">
              <h2 id="own-tasks">{t('work.tasks')}</h2>
              {tasks.length === 0 && <p>{t('work.noTasks')}</p>}
              <ul>
                {tasks.map((task) => (
                  <TaskItem key={task.id} farmId={farmId} task={task} />
                ))}
              </ul>
            </section>
            {houses.length > 0 && (
              <section className={classes['section']} aria-labelledby="own-houses">
                <h2 id="own-houses">{t('work.houses')}</h2>
                <ul>
                  {houses.map((house) => (
                    <HouseItem key={house.polyhouseId} house={house} />
                  ))}
                </ul>
              </section>
            )}
            {devices.length > 0 && (
              <section className={classes['section']} aria-labelledby="own-devices">
                <h2 id="own-devices">{t('work.devices')}</h2>
                <ul>
                  {devices.map((device) => (
                    <DeviceItem key={device.id} farmId={farmId} device={device} />
                  ))}
                </ul>
              </section>
            )}
          </>
        )}
      </QueryState>
    </PageLayout>
  );
}
