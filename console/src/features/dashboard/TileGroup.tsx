// A titled row of tiles. A tile is a link as a whole; without a number it shows a dash.
import { Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../i18n/format';
import { Link } from '../../screen/Link';
import { StatePill } from '../../ui/StatePill';
import type { Summary } from './queries';
import classes from './TileGroup.module.css';
import type { TileSpec, tileGroups } from './tiles';

const DASH = '–';

interface Props {
  group: (typeof tileGroups)[number];
  summary: Summary | undefined;
  /** Still on its way: shapes instead of dashes. */
  loading: boolean;
}

export function TileGroup({ group, summary, loading }: Props) {
  const { t } = useTranslation();
  const tiles = group.tiles.filter(
    ({ field, onlyWithNumber }) => !onlyWithNumber || typeof summary?.[field] === 'number',
  );
  if (tiles.length === 0) return null;
  return (
    <section className={classes['group']} data-group={group.id} aria-labelledby={`tiles-${group.id}`}>
      <h2 id={`tiles-${group.id}`}>{t(group.title)}</h2>
      <div className={classes['tiles']}>
        {tiles.map((tile) =>
          loading ? (
            <div key={tile.field} className={classes['tile']}>
              <Skeleton height={18} width="70%" />
              <Skeleton height={34} width="40%" mt="auto" />
            </div>
          ) : (
            <Tile key={tile.field} tile={tile} value={summary?.[tile.field] ?? null} />
          ),
        )}
      </div>
    </section>
  );
}

function Tile({ tile, value }: { tile: TileSpec; value: number | null }) {
  const { t } = useTranslation();
  const format = useFormat();
  const state = value === null ? undefined : tile.state?.(value);
  const content = (
    <>
      <span className={classes['label']}>
        <tile.icon size={22} aria-hidden />
        <span>{t(tile.label)}</span>
      </span>
      <span className={classes['value']} data-write={tile.write} data-none={value === null || undefined}>
        {value === null ? <span aria-hidden>{DASH}</span> : format[tile.write](value)}
      </span>
      {value === null && <span className={classes['hint']}>{t('dashboard.noValue')}</span>}
      {state && <StatePill tone={state.tone} word={t(state.word)} />}
    </>
  );
  const marks = { className: classes['tile'], 'data-tone': state?.tone, 'data-tile': tile.field };
  return (
    <Link {...marks} to={tile.to}>
      {content}
    </Link>
  );
}
