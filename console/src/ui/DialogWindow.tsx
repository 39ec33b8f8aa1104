// A window above the page. Mantine's own header is a <header>, which the page has already: the title stands in a plain row.
import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './Dialog.module.css';

interface Props {
  opened: boolean;
  onClose: () => void;
  title: string;
  closeLabel: string;
  children: ReactNode;
}

export function DialogWindow({ opened, onClose, title, closeLabel, children }: Props) {
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      yOffset="calc(max(5dvh, var(--h-stop-bar) + 1.5rem))"
      centered
    >
      <Modal.Overlay />
      <Modal.Content>
        <div className={classes['head']}>
          <Modal.Title className={classes['title'] ?? ''}>{title}</Modal.Title>
          <Modal.CloseButton aria-label={closeLabel} size="3rem" />
        </div>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
