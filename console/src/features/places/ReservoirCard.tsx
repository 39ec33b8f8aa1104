// One reservoir: how full it is, to be read from an arm's length.
import { useTranslation } from 'react-i18next';
import LedgerIcon from '~icon/Droplets';
import { useFormat } from '../../i18n/format';
import { EditDelete } from '../../screen/EditDelete';
import { Link } from '../../screen/Link';
import { useAsOf } from '../../ui/AsOf';
import { StatePill } from '../../ui/StatePill';
import { levelLooks, levelOf } from './level';
import classes from './places.module.css';
import type { Reservoir } from './queries';

const DASH = '–';

interface Props {
  reservoir: Reservoir;
  writes: boolean;
  onEdit: () => void;
  onDelete: () => void;
}

export function ReservoirCard({ reservoir, writes, onEdit, onDelete }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const { id, name, levelPercent, currentLevel, capacity, lastRefill } = reservoir;
  const level = levelOf(levelPercent);
  const { tone, word } = levelLooks[level];
  const isNow = useAsOf() === undefined;
  const litres = (amount: number | null) => (amount === null ? DASH : format.count(Math.round(amount)));
  return (
    <li className={classes['card']} data-reservoir={id} data-level={level}>
      <div className={classes['title']}>
        <h2 id={`reservoir-${id}`}>{name}</h2>
        {writes && <EditDelete name={name} onEdit={onEdit} onDelete={onDelete} />}
      </div>
      <p className={classes['full']}>
        <span className={classes['numeral']}>
          {levelPercent === null ? DASH : format.percent(levelPercent)}
        </span>
        {levelPercent !== null && <span className={classes['soft']}>{t('places.full')}</span>}
        <StatePill live tone={tone} word={t(word)} />
      </p>
      <div
        className={classes['track']}
        role="progressbar"
        aria-labelledby={`reservoir-${id}`}
        aria-valuemin={0}
        aria-valuemax={100}
        {...(levelPercent !== null && { 'aria-valuenow': Math.round(levelPercent) })}
        aria-valuetext={levelPercent === null ? t(word) : `${format.percent(levelPercent)}, ${t(word)}`}
      >
        {levelPercent !== null && (
          <div
            className={classes['fill']}
            data-tone={tone === 'good' && !isNow ? 'quiet' : tone}
            style={{ width: `${Math.min(100, Math.max(0, levelPercent))}%` }}
          />
        )}
      </div>
      <dl className={classes['facts']}>
        <div>
          <dt>{t('places.water')}</dt>
          <dd>
            {capacity === null && currentLevel === null
              ? t('places.notAvailable')
              : t('places.litresOf', { current: litres(currentLevel), capacity: litres(capacity) })}
          </dd>
        </div>
        <div>
          <dt>{t('places.lastRefill')}</dt>
          <dd>{lastRefill === null ? t('places.notAvailable') : format.shortDate(new Date(lastRefill))}</dd>
        </div>
      </dl>
      <p className={classes['links']}>
        <Link to={`/reservoirs/${encodeURIComponent(id)}`} aria-label={t('places.ledgerOf', { name })}>
          <LedgerIcon size={20} aria-hidden />
          {t('nav.ledger')}
        </Link>
      </p>
    </li>
  );
}
