import { MantineProvider } from '@mantine/core';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { FilterBar } from './FilterBar';
import type { LogFilters } from './filters';

it('keeps what is typed while the URL follows late, and gives way to the back button', async () => {
  const onChange = vi.fn<(filters: LogFilters) => void>();
  const bar = (filters: LogFilters) => (
    <MantineProvider>
      <FilterBar filters={filters} onChange={onChange} />
    </MantineProvider>
  );
  const { rerender } = render(bar({}));
  const person = userEvent.setup();
  const field = screen.getByLabelText<HTMLInputElement>('User');
  await person.type(field, 'a');
  await vi.waitFor(() => expect(onChange.mock.lastCall?.[0]).toEqual({ user: 'a' }));
  await person.type(field, 's');
  await vi.waitFor(() => expect(onChange.mock.lastCall?.[0]).toEqual({ user: 'as' }));
  await person.type(field, 'h');
  rerender(bar({ user: 'a' }));
  expect(field.value).toBe('ash');
  rerender(bar({ user: 'as' }));
  expect(field.value).toBe('ash');
  await vi.waitFor(() => expect(onChange.mock.lastCall?.[0]).toEqual({ user: 'ash' }));
  rerender(bar({ user: 'ash' }));
  rerender(bar({ user: 'a' }));
  expect(field.value).toBe('a');
});
