// A question before something that cannot be undone.
import { Button, Group, Modal, Stack } from '@mantine/core';
import { modals } from '@mantine/modals';
import { ask } from './questions';

interface Question {
  question: string;
  /** What the button says that does it. */
  yes: string;
  no: string;
  run: () => void;
}

export function confirm({ question, yes, no, run }: Question): void {
  const modalId = 'confirm';
  const close = () => modals.close(modalId);
  ask(() =>
    modals.open({
      modalId,
      centered: true,
      // Mantine's own header is a <header>, which the page has already.
      withCloseButton: false,
      children: (
        <Stack>
          <Modal.Title>{question}</Modal.Title>
          <Group grow>
            <Button variant="default" data-autofocus onClick={close}>
              {no}
            </Button>
            <Button
              color="var(--h-bad)"
              onClick={() => {
                close();
                run();
              }}
            >
              {yes}
            </Button>
          </Group>
        </Stack>
      ),
    }),
  );
}
