// Where toasts appear: loaded when there is one.
import '@mantine/core/styles/Notification.css';
import '@mantine/notifications/styles.css';
import { Notifications } from '@mantine/notifications';

export default function Toasts() {
  // Not over the button that stops machines.
  return <Notifications position="bottom-center" styles={{ root: { marginBottom: 'var(--h-stop-bar)' } }} />;
}
