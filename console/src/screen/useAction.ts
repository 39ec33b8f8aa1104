// What a button does on the server at once, without a form: asked for first where it cannot be undone. Its failure is a toast.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { answer, type Outcome } from '../api/client';
import { farmKey } from '../api/keys';
import { failureText, usesOf } from '../i18n/failure';
import { confirm } from '../ui/confirm';
import { toast } from '../ui/toast';

interface Action {
  call: () => Promise<Outcome<unknown>>;
  /** What is said where the server says nothing. */
  failed: string;
  onDone?: () => void;
  /** Does it although something goes by what is removed, which is asked with the names of that. */
  anyway?: () => Promise<Outcome<unknown>>;
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
    onError: (error, { anyway, ...action }) => {
      const names = usesOf(error);
      if (!anyway || names.length === 0)
        return toast('bad', failureText(t, error, action.failed), t('form.close'));
      confirm({
        question: t('screen.anyway.question', { names: names.join(', ') }),
        yes: t('screen.anyway.yes'),
        no: t('form.cancel'),
        run: () => mutate({ ...action, call: anyway }),
      });
    },
    // Its name is on many screens: all of the farm is asked for again, as far as it is shown.
    onSettled: () => cache.invalidateQueries({ queryKey: farmKey(farmId) }),
  });
  const run = (action: Action) => mutate(action);
  const ask = ({ question, yes = t('screen.delete'), ...action }: Action & Question) =>
    confirm({ question, yes, no: t('form.cancel'), run: () => run(action) });
  return { run, ask, busy: isPending };
}
