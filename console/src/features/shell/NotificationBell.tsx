// The bell with the count of what is unread, and the panel that it opens and closes (spec 2.3).
import { Popover, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import Bell from '~icon/Bell';
import { useFarms } from '../../api/farms';
import { useFormat } from '../../i18n/format';
import { useLanguage } from '../../i18n/i18n';
import header from './Header.module.css';
import { NotificationPanel } from './NotificationPanel';
import classes from './Notifications.module.css';
import { notificationsQuery } from './notifications';

/** More than this is "many": the badge stays round. */
const COUNTED = 99;

export function NotificationBell() {
  const { current } = useFarms();
  // The panel of one farm must not stay open over another.
  return current ? <FarmBell key={current.id} farmId={current.id} /> : null;
}

function FarmBell({ farmId }: { farmId: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const title = useId();
  const [open, setOpen] = useState(false);
  const query = useQuery(notificationsQuery(farmId, useLanguage()));
  const unread = query.data?.unread ?? 0;
  const value = format.count(Math.min(unread, COUNTED));
  const badge = unread > COUNTED ? t('notifications.many', { value }) : value;
  return (
    <Popover
      opened={open}
      onChange={setOpen}
      position="bottom-end"
      shadow="md"
      width="min(24rem, calc(100vw - 1rem))"
      trapFocus
      returnFocus
      closeOnEscape
    >
      <Popover.Target>
        <UnstyledButton
          className={`${header['button']} ${classes['bell']}`}
          aria-label={
            unread > 0
              ? t('notifications.bellUnread', { count: unread, value: badge })
              : t('notifications.title')
          }
          onClick={() => setOpen(!open)}
        >
          <Bell size={24} aria-hidden />
          {unread > 0 && (
            <span className={classes['badge']} data-unread={unread} aria-hidden>
              {badge}
            </span>
          )}
        </UnstyledButton>
      </Popover.Target>
      {/* Said when it changes; the bell's own name is only read when somebody comes to it. */}
      <VisuallyHidden role="status">
        {unread > 0 && t('notifications.unread', { count: unread, value: badge })}
      </VisuallyHidden>
      <Popover.Dropdown p={0} className={classes['panel'] ?? ''} aria-labelledby={title}>
        <NotificationPanel titleId={title} farmId={farmId} query={query} onClose={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}
