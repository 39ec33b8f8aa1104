// Deletes something after a question. What still depends on it, where the server says so, is for the page to show: a toast has no
// room for it and is soon gone.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { answer, type Outcome } from '../api/client';
import { farmKey } from '../api/keys';
import { failureText } from '../i18n/failure';
import { confirm } from '../ui/confirm';

interface Removal {
  question: string;
  call: () => Promise<Outcome<unknown>>;
}

/** `failed` is what is said where the server says nothing. */
export function useRemoval(farmId: string, failed: string) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const { mutate, reset, error } = useMutation({
    mutationFn: (call: Removal['call']) => answer(call()),
    onSettled: () => cache.invalidateQueries({ queryKey: farmKey(farmId) }),
  });
  return {
    ask: ({ question, call }: Removal) => {
      reset();
      confirm({ question, yes: t('screen.delete'), no: t('form.cancel'), run: () => mutate(call) });
    },
    problem: error ? failureText(t, error, failed) : undefined,
  };
}
