import { MantineProvider } from '@mantine/core';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { Dialog } from './Dialog';
import { Sheet } from './Sheet';

it('is left by Escape in it, and not by Escape in a window that covers it', async () => {
  const [back, close] = [vi.fn(), vi.fn()];
  render(
    <MantineProvider env="test">
      <Sheet opened onBack={back} title="Pump" backLabel="Back">
        <button type="button">Limits</button>
      </Sheet>
      <Dialog opened onClose={close} title="Limits" closeLabel="Close">
        <button type="button">Save</button>
      </Dialog>
    </MantineProvider>,
  );
  const person = userEvent.setup();
  (await screen.findByText('Save')).focus();
  await person.keyboard('{Escape}');
  expect([close.mock.calls.length, back.mock.calls.length]).toEqual([1, 0]);
});

it('is left by Escape wherever the focus is in it', async () => {
  const back = vi.fn();
  render(
    <MantineProvider env="test">
      <Sheet opened onBack={back} title="Pump" backLabel="Back">
        <button type="button">Limits</button>
      </Sheet>
    </MantineProvider>,
  );
  (await screen.findByText('Limits')).focus();
  await userEvent.setup().keyboard('{Escape}');
  expect(back).toHaveBeenCalledOnce();
});
