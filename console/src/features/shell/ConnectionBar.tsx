// One bar on every page while there is no connection: since when, and of when what is shown is, if anything is.
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import Off from '~icon/PlugConnectedX';
import { useFarms } from '../../api/farms';
import { farmKey } from '../../api/keys';
import { useLostSince } from '../../api/live-status';
import { useVerdictWords } from '../../i18n/verdict';
import classes from './ConnectionBar.module.css';

export function ConnectionBar() {
  const { t } = useTranslation();
  const words = useVerdictWords();
  const cache = useQueryClient();
  const { current, error } = useFarms();
  const since = useLostSince();
  // Without a farm nobody connects: that is no loss, unless it was the connection that lacked.
  if (since === undefined || !(current || error)) return null;
  const loaded = current ? cache.getQueryCache().findAll({ queryKey: farmKey(current.id) }) : [];
  const last = Math.max(0, ...loaded.map(({ state }) => state.dataUpdatedAt));
  // Until the connection went, messages kept all of it up to date; since then only what was asked for again is newer.
  const shown = words.instant(Math.max(since, last));
  const time = words.instant(since);
  return (
    <p className={classes['bar']} role="status" data-connection="lost">
      <Off size={20} aria-hidden />
      {last > 0 ? t('verdict.connectionLost', { time, shown }) : t('verdict.connectionNone', { time })}
    </p>
  );
}
