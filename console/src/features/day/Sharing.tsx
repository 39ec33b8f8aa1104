// The day as a picture or a table, to send or to keep.
import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import Columns from '~icon/FileDatabase';
import Table from '~icon/FileSpreadsheet';
import Picture from '~icon/Photo';
import { useFormat } from '../../i18n/format';
import { untilLoaded } from '../../ui/later';
import { csvOf } from './csv';
import classes from './Day.module.css';
import { useInks } from './inks';
import type { Course, Limit, Target } from './paint';
import { pngOf } from './picture';
import type { Note } from './queries';
import type { Shown } from './Reading';
import { fileName, shareFile } from './share';
import type { Strip } from './strips';
import { usePicture } from './usePicture';
import type { View, Viewer } from './view';
import type { Window } from './window';

interface Props {
  viewer: Viewer;
  house: string;
  shown: readonly Shown[];
  strips: readonly Strip[];
  targets: readonly Target[];
  limits: readonly Limit[];
  courses: readonly Course[];
  nights: readonly Window[];
  notes: readonly Note[];
  /** For what of the viewer's `load` says how far it is. */
  rested: View;
  load: 'pending' | 'done' | 'failed';
}

type Kind = 'csv' | 'png' | 'parquet';

const PICTURE_PX = 1016;

export function Sharing({
  viewer,
  house,
  shown,
  strips,
  targets,
  limits,
  courses,
  nights,
  notes,
  rested,
  load,
}: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const inks = useInks(shown.map(({ curve }) => curve.scale));
  const picture = usePicture(shown, targets, limits, courses, nights, notes);
  const nameOf = (ending: string) =>
    `${fileName(house, format.isoDay(new Date(viewer.get().window.from)))}.${ending}`;
  const table = (): Parameters<typeof csvOf> => [
    shown.map(({ curve, text: name }) => ({ series: curve.series, name })),
    viewer.get().window,
    { local: t('history.time'), utc: t('day.utc') },
    (at) => format.exactTime(new Date(at)),
  ];
  const [parquet, setParquet] = useState<typeof import('./parquet')>();
  const make: Record<Kind, () => Promise<File | null>> = {
    csv: async () => new File([csvOf(...table())], nameOf('csv'), { type: 'text/csv' }),
    parquet: async () =>
      parquet
        ? new File([parquet.parquetOf(...table())], nameOf('parquet'), {
            type: 'application/vnd.apache.parquet',
          })
        : null,
    png: async () => {
      const { window } = viewer.get();
      const blob = await pngOf(
        {
          title: house,
          subtitle: `${format.dateTime(new Date(window.from))} – ${format.dateTime(new Date(window.to))}`,
          curves: picture(window, PICTURE_PX),
          names: shown.map(({ curve, text }) => ({ curve, text })),
          strips,
        },
        inks,
        getComputedStyle(document.body).fontFamily,
      );
      return blob && new File([blob], nameOf('png'), { type: 'image/png' });
    },
  };
  // What is asked for while the view moves or loads is made of what was asked for, as soon as it is there.
  const [wanted, setWanted] = useState<Kind>();
  useEffect(() => {
    if (!wanted || load === 'pending' || viewer.get().window !== rested.window) return;
    if (load === 'done' && wanted === 'parquet' && !parquet) return;
    setWanted(undefined);
    if (load === 'done') void make[wanted]().then((file) => file && shareFile(file));
  });
  const want = (kind: Kind) => {
    setWanted(kind);
    // Few ask for it: what writes it comes when somebody does.
    if (kind === 'parquet' && !parquet) void untilLoaded(() => import('./parquet')).then(setParquet);
  };
  const button = (kind: Kind, Icon: typeof Table) => (
    <Button
      variant="default"
      disabled={shown.length === 0}
      aria-busy={wanted === kind}
      leftSection={<Icon size={22} aria-hidden />}
      onClick={() => want(kind)}
    >
      {t(`day.${kind}`)}
    </Button>
  );
  return (
    <div className={classes['sharing']}>
      {button('csv', Table)}
      {button('png', Picture)}
      {button('parquet', Columns)}
    </div>
  );
}
