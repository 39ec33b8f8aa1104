// A titled row of tiles. A tile is a link as a whole; without a number it shows a dash and why.
import { Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useFormat } from '../../i18n/format';
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
  return (
    <section className={classes['group']} data-group={group.id} aria-labelledby={`tiles-${group.id}`}>
      <h2 id={`tiles-${group.id}`}>{t(group.title)}</h2>
      <div className={classes['tiles']}>
        {group.tiles.map((tile) =>
          loading ? (
            <div key={tile.field} className={classes['tile']}>
              <Skeleton height={18} width="70%" />
              <Skeleton height={34} width="40%" mt="auto" />
            </div>
          ) : (
            <Tile
              key={tile.field}
              tile={tile}
              value={summary?.[tile.field] ?? null}
              known={summary !== undefined}
            />
          ),
        )}
      </div>
    </section>
  );
}

function Tile({ tile, value, known }: { tile: TileSpec; value: number | null; known: boolean }) {
  const { t } = useTranslation();
  const format = useFormat();
  const state = value === null ? undefined : tile.state?.(value);
  const hint = value === null ? t((known && tile.noSource) || 'dashboard.noValue') : undefined;
  return (
    <Link className={classes['tile']} to={tile.to} data-tone={state?.tone} data-tile={tile.field}>
      <span className={classes['label']}>
        <tile.icon size={22} aria-hidden />
        <span>{t(tile.label)}</span>
      </span>
      <span className={classes['value']} data-write={tile.write} data-none={value === null || undefined}>
        {value === null ? <span aria-hidden>{DASH}</span> : format[tile.write](value)}
      </span>
      {hint && <span className={classes['hint']}>{hint}</span>}
      {state && <StatePill tone={state.tone} word={t(state.word)} />}
    </Link>
  );
}
