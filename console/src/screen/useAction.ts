// What a button does on the server at once, without a form: asked for first where it cannot be undone. Its failure is a toast.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { answer, type Outcome } from '../api/client';
import { farmKey } from '../api/keys';
import { failureText } from '../i18n/failure';
import { confirm } from '../ui/confirm';
import { toast } from '../ui/toast';

interface Action {
  call: () => Promise<Outcome<unknown>>;
  /** What is said where the server says nothing. */
  failed: string;
  onDone?: () => void;
}

interface Question {
  question: string;
  /** What the button says that does it; "Delete" otherwise. */
  yes?: string;
}

export function useAction(farmId: string) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: ({ call }: Action) => answer(call()),
    onSuccess: (_, { onDone }) => onDone?.(),
    onError: (error, { failed }) => toast('bad', failureText(t, error, failed), t('form.close')),
    // Its name is on many screens: all of the farm is asked for again, as far as it is shown.
    onSettled: () => cache.invalidateQueries({ queryKey: farmKey(farmId) }),
  });
  const run = (action: Action) => mutate(action);
  const ask = ({ question, yes = t('screen.delete'), ...action }: Action & Question) =>
    confirm({ question, yes, no: t('form.cancel'), run: () => run(action) });
  return { run, ask, busy: isPending };
}
