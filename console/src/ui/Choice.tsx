// One question about one word on the page: beside the word on a desk, from the foot of the screen on a phone.
import { CloseButton, Drawer, Popover } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type ReactElement, type ReactNode, useId } from 'react';
import classes from './Choice.module.css';

interface Props {
  opened: boolean;
  onClose: () => void;
  title: string;
  closeLabel: string;
  /** The button that asks. */
  target: ReactElement;
  children: ReactNode;
}

/** Below this there is no room beside a word. */
const PHONE = '(max-width: 47.99em)';

export function Choice({ opened, onClose, title, closeLabel, target, children }: Props) {
  const id = useId();
  const phone = useMediaQuery(PHONE, undefined, { getInitialValueInEffect: false });
  const close = <CloseButton aria-label={closeLabel} size="3rem" onClick={onClose} />;
  if (phone)
    return (
      <>
        {target}
        <Drawer.Root opened={opened} onClose={onClose} position="bottom" size="auto" padding={0}>
          <Drawer.Overlay />
          <Drawer.Content classNames={{ content: classes['sheet'] ?? '' }}>
            <Drawer.Body className={classes['body'] ?? ''}>
              <div className={classes['head']}>
                {/* A field that took the focus at once would bring up the keyboard over half of the screen. */}
                <Drawer.Title tabIndex={-1} data-autofocus>
                  {title}
                </Drawer.Title>
                {close}
              </div>
              {children}
            </Drawer.Body>
          </Drawer.Content>
        </Drawer.Root>
      </>
    );
  return (
    <Popover
      opened={opened}
      onChange={(open) => !open && onClose()}
      width={360}
      position="bottom-start"
      shadow="md"
      trapFocus
      returnFocus
      transitionProps={{ duration: 0 }}
    >
      <Popover.Target>{target}</Popover.Target>
      <Popover.Dropdown className={classes['beside'] ?? ''} aria-labelledby={id}>
        <div className={classes['head']}>
          <h2 id={id}>{title}</h2>
          {close}
        </div>
        {children}
      </Popover.Dropdown>
    </Popover>
  );
}
