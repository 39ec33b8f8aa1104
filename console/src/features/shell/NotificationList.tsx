// The list in the panel of the bell, and the way to empty it.
import { Button, UnstyledButton } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ParseKeys } from 'i18next';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import Alert from '~icon/BellRinging';
import Info from '~icon/InfoCircle';
import { useAgo } from '../../i18n/ago';
import { useFormat } from '../../i18n/format';
import { useIncidentText } from '../../screen/incident';
import { Link } from '../../screen/Link';
import { toneIcons } from '../../ui/tone';
import classes from './NotificationList.module.css';
import type { Notification, NotificationType } from './notifications';

/** Relative times grow older while the panel is open. */
const TICK_MS = 20_000;

interface Props {
  items: readonly Notification[];
  onRead: (id: string) => void;
  onClear: () => void;
  onClose: () => void;
}

export default function NotificationList({ items, onRead, onClear, onClose }: Props) {
  const { t } = useTranslation();
  const now = useNow();
  return (
    <>
      <ul className={classes['list']}>
        {items.map((item) => (
          <li key={item.id}>
            <Item
              item={item}
              now={now}
              onOpen={() => {
                if (!item.read) onRead(item.id);
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
            onClear();
            onClose();
          }}
        >
          {t('notifications.clearAll')}
        </Button>
      </div>
    </>
  );
}

const looks: Record<NotificationType, { icon: Icon; word: ParseKeys }> = {
  alert: { icon: Alert, word: 'notifications.type.alert' },
  warning: { icon: toneIcons.warn, word: 'notifications.type.warning' },
  success: { icon: toneIcons.good, word: 'notifications.type.success' },
  info: { icon: Info, word: 'notifications.type.info' },
};

function Item({ item, now, onOpen }: { item: Notification; now: number; onOpen: () => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  // A type that this console does not know is news all the same (spec 3).
  const type = Object.hasOwn(looks, item.type) ? item.type : 'info';
  const look = looks[type];
  const at = new Date(item.timestamp);
  const sayAgo = useAgo();
  const stands = useIncidentText();
  const inside = (
    <>
      <look.icon className={classes['icon']} size={22} aria-hidden />
      <span className={classes['text']}>
        <span className={classes['kind']}>
          <span className={classes['word']}>{t(look.word)}</span>
          <time dateTime={item.timestamp} title={format.dayTime(at)}>
            {sayAgo(at.getTime(), now)}
          </time>
          {!item.read && <span className={classes['new']}>{t('notifications.new')}</span>}
        </span>
        <span className={classes['title']}>{item.title}</span>
        {item.message && <span className={classes['message']}>{item.message}</span>}
        {item.incident && item.incident.state !== 'over' && (
          <span className={classes['answered']}>{stands(item.incident).join(' · ')}</span>
        )}
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
