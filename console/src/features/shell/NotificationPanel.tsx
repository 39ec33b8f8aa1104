// What the person was told, the latest first (spec 2.3 and 4).
import { Button, Skeleton, UnstyledButton } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ParseKeys } from 'i18next';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import Warning from '~icon/AlertTriangle';
import Bell from '~icon/Bell';
import Alert from '~icon/BellRinging';
import Success from '~icon/CircleCheck';
import Info from '~icon/InfoCircle';
import { failedLoad, failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { Banner } from '../../ui/Banner';
import { ago } from './ago';
import classes from './Notifications.module.css';
import {
  type Notification,
  type Notifications,
  type NotificationType,
  useClearAll,
  useMarkAllRead,
  useMarkRead,
} from './notifications';

/** Relative times grow older while the panel is open. */
const TICK_MS = 20_000;

interface Props {
  /** The id of the heading, by which the panel is named. */
  titleId: string;
  farmId: string;
  query: UseQueryResult<Notifications>;
  onClose: () => void;
}

export function NotificationPanel({ titleId, farmId, query, onClose }: Props) {
  const { t } = useTranslation();
  const now = useNow();
  const markRead = useMarkRead(farmId);
  const markAll = useMarkAllRead(farmId);
  const clear = useClearAll(farmId);
  const { data } = query;
  const failed = [markRead, markAll, clear].find(({ isError }) => isError);
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
      {query.isPending && (
        <div className={classes['waiting']}>
          <Skeleton height={56} />
          <Skeleton height={56} />
        </div>
      )}
      {data && data.items.length === 0 && (
        <div className={classes['empty']}>
          <Bell size={32} stroke={1.5} aria-hidden />
          <p>{t('notifications.empty')}</p>
          <p>{t('notifications.emptyHint')}</p>
        </div>
      )}
      {data && data.items.length > 0 && (
        <>
          <ul className={classes['list']}>
            {data.items.map((item) => (
              <li key={item.id}>
                <Item
                  item={item}
                  now={now}
                  onOpen={() => {
                    if (!item.read) markRead.mutate(item.id);
                    if (item.link) onClose();
                  }}
                />
              </li>
            ))}
          </ul>
          <div className={classes['foot']}>
            <Button
              variant="subtle"
              color="var(--h-bad)"
              fullWidth
              onClick={() => {
                // What was told is not kept anywhere else for the person.
                if (!window.confirm(t('notifications.confirmClear'))) return;
                clear.mutate();
                onClose();
              }}
            >
              {t('notifications.clearAll')}
            </Button>
          </div>
        </>
      )}
    </>
  );
}

const looks: Record<NotificationType, { icon: Icon; word: ParseKeys }> = {
  alert: { icon: Alert, word: 'notifications.type.alert' },
  warning: { icon: Warning, word: 'notifications.type.warning' },
  success: { icon: Success, word: 'notifications.type.success' },
  info: { icon: Info, word: 'notifications.type.info' },
};

function Item({ item, now, onOpen }: { item: Notification; now: number; onOpen: () => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  // A type that this console does not know is news all the same (spec 3).
  const type = Object.hasOwn(looks, item.type) ? item.type : 'info';
  const look = looks[type];
  const at = new Date(item.timestamp);
  const { unit, count } = ago(at.getTime(), now);
  const inside = (
    <>
      <look.icon className={classes['icon']} size={22} aria-hidden />
      <span className={classes['text']}>
        <span className={classes['kind']}>
          <span className={classes['word']}>{t(look.word)}</span>
          <time dateTime={item.timestamp} title={format.dayTime(at)}>
            {t(`notifications.ago.${unit}`, { count, value: format.count(count) })}
          </time>
          {!item.read && <span className={classes['new']}>{t('notifications.new')}</span>}
        </span>
        <span className={classes['title']}>{item.title}</span>
        {item.message && <span className={classes['message']}>{item.message}</span>}
      </span>
    </>
  );
  const shared = {
    className: classes['item'] ?? '',
    'data-type': type,
    'data-read': item.read,
    onClick: onOpen,
  };
  return item.link ? (
    <Link to={item.link} {...shared}>
      {inside}
    </Link>
  ) : (
    <UnstyledButton {...shared}>{inside}</UnstyledButton>
  );
}

function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
