// A step of its own on a small screen: it covers the page, and going back shows the page as it was left.
import { Drawer, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import Back from '~icon/ArrowLeft';
import classes from './Sheet.module.css';

interface Props {
  opened: boolean;
  onBack: () => void;
  title: string;
  /** What the way back is called. */
  backLabel: string;
  children: ReactNode;
}

export function SheetWindow({ opened, onBack, title, backLabel, children }: Props) {
  return (
    // By itself it would hear Escape on the whole window, also where that is meant for a window above it.
    <Drawer.Root
      opened={opened}
      onClose={onBack}
      closeOnEscape={false}
      position="right"
      size="100%"
      padding={0}
    >
      <Drawer.Content
        classNames={{ content: classes['sheet'] ?? '' }}
        onKeyDownCapture={(event) => {
          const isInside = event.currentTarget.contains(event.target as Node);
          if (event.key === 'Escape' && isInside) onBack();
        }}
      >
        <div className={classes['head']}>
          <UnstyledButton className={classes['back'] ?? ''} aria-label={backLabel} onClick={onBack}>
            <Back size={26} aria-hidden />
          </UnstyledButton>
          <Drawer.Title className={classes['title'] ?? ''}>{title}</Drawer.Title>
        </div>
        <Drawer.Body className={classes['body'] ?? ''}>{children}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}
