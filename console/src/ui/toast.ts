// What has just happened, said in passing: a failure stays until it is closed.
import { notifications } from '@mantine/notifications';

export function toast(tone: 'good' | 'bad', message: string, closeLabel: string): void {
  const bad = tone === 'bad';
  notifications.show({
    message,
    closeButtonProps: { 'aria-label': closeLabel, size: 'lg' },
    role: bad ? 'alert' : 'status',
    color: bad ? 'var(--h-bad)' : 'var(--h-good)',
    autoClose: bad ? false : 4_000,
  });
}
