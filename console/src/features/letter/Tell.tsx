// Whether the person is told in the evening that the letter is ready.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { farmKey } from '../../api/keys';
import { failureText } from '../../i18n/failure';
import { Banner } from '../../ui/Banner';
import { Switch } from '../../ui/Switch';
import classes from './Letter.module.css';
import { chooseLetter } from './queries';

export function Tell({ farmId, isTold }: { farmId: string; isTold: boolean }) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const choice = useMutation({
    mutationFn: (told: boolean) => chooseLetter(farmId, told),
    onSuccess: () => cache.invalidateQueries({ queryKey: [...farmKey(farmId), 'letter'] }),
  });
  // What was chosen is shown at once.
  const on = choice.isError ? isTold : (choice.variables ?? isTold);
  return (
    <div className={classes['tell']}>
      {choice.error && <Banner tone="bad" text={failureText(t, choice.error, t('letter.tellFailed'))} />}
      <Switch on={on} word={t('letter.tell')} label={t('letter.tell')} onChange={() => choice.mutate(!on)} />
    </div>
  );
}
