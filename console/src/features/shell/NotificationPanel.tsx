// What the person was told, the latest first (spec 2.3 and 4).
import { Button, Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import Bell from '~icon/Bell';
import { failedLoad, failureText } from '../../i18n/failure';
import { Banner } from '../../ui/Banner';
import classes from './Notifications.module.css';
import { type Notifications, useClearAll, useMarkAllRead, useMarkRead } from './notifications';

/** Not with every page: it is seen when the bell is opened. */
const NotificationList = lazy(() => import('./NotificationList'));

interface Props {
  /** The id of the heading, by which the panel is named. */
  titleId: string;
  farmId: string;
  query: UseQueryResult<Notifications>;
  onClose: () => void;
}

export function NotificationPanel({ titleId, farmId, query, onClose }: Props) {
  const { t } = useTranslation();
  const markRead = useMarkRead(farmId);
  const markAll = useMarkAllRead(farmId);
  const clear = useClearAll(farmId);
  const { data } = query;
  const failed = [markRead, markAll, clear].find(({ isError }) => isError);
  const waiting = (
    <div className={classes['waiting']}>
      <Skeleton height={56} />
      <Skeleton height={56} />
    </div>
  );
  return (
    <>
      <div className={classes['head']}>
        <h2 id={titleId}>{t('notifications.title')}</h2>
        <Button
          variant="subtle"
          size="compact-md"
          disabled={!data || data.unread === 0}
          onClick={(event) => {
            // The button is about to be disabled and would drop the focus; Escape must still find the panel.
            event.currentTarget.closest<HTMLElement>('[role="dialog"]')?.focus();
            markAll.mutate();
          }}
        >
          {t('notifications.markAll')}
        </Button>
      </div>
      {query.isError && <Banner {...failedLoad(t, query, t('notifications.fetchFailed'))} />}
      {failed && <Banner tone="bad" text={failureText(t, failed.error, t('notifications.changeFailed'))} />}
      {query.isPending && waiting}
      {data && data.items.length === 0 && (
        <div className={classes['empty']}>
          <Bell size={32} stroke={1.5} aria-hidden />
          <p>{t('notifications.empty')}</p>
          <p>{t('notifications.emptyHint')}</p>
        </div>
      )}
      {data && data.items.length > 0 && (
        <Suspense fallback={waiting}>
          <NotificationList
            items={data.items}
            onRead={markRead.mutate}
            onClear={clear.mutate}
            onClose={onClose}
          />
        </Suspense>
      )}
    </>
  );
}
