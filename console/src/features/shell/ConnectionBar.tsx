// One bar on every page while there is no connection: since when, and of when what is shown is.
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import Off from '~icon/PlugConnectedX';
import { useFarms } from '../../api/farms';
import { farmKey } from '../../api/keys';
import { useLostSince } from '../../api/live';
import { useVerdictWords } from '../../i18n/verdict';
import classes from './ConnectionBar.module.css';

export function ConnectionBar() {
  const { t } = useTranslation();
  const words = useVerdictWords();
  const cache = useQueryClient();
  const { current } = useFarms();
  const since = useLostSince();
  if (since === undefined || !current) return null;
  const loaded = cache.getQueryCache().findAll({ queryKey: farmKey(current.id) });
  // Until the connection went, messages kept all of it up to date; since then only what was asked for again is newer.
  const shown = Math.max(since, ...loaded.map(({ state }) => state.dataUpdatedAt));
  return (
    <p className={classes['bar']} role="status">
      <Off size={20} aria-hidden />
      {t('verdict.connectionLost', { time: words.instant(since), shown: words.instant(shown) })}
    </p>
  );
}
