// The day as a picture or a table, to send or to keep.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import Table from '~icon/FileSpreadsheet';
import Picture from '~icon/Photo';
import { useFormat } from '../../i18n/format';
import { csvOf } from './csv';
import classes from './Day.module.css';
import { useInks } from './inks';
import type { Course, Limit, Target } from './paint';
import { pngOf } from './picture';
import type { Shown } from './Reading';
import { fileName, shareFile } from './share';
import type { Strip } from './strips';
import { usePicture } from './usePicture';
import type { Viewer } from './view';
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
  /** Whether all that is on screen is loaded. */
  ready: boolean;
}

const PICTURE_PX = 1016;

export function Sharing({ viewer, house, shown, strips, targets, limits, courses, nights, ready }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const inks = useInks(shown.map(({ curve }) => curve.scale));
  const picture = usePicture(shown, targets, limits, courses, nights);
  const nameOf = (ending: string) =>
    `${fileName(house, format.isoDay(new Date(viewer.get().window.from)))}.${ending}`;
  const csv = () => {
    const text = csvOf(
      shown.map(({ curve, text: name }) => ({ series: curve.series, name })),
      viewer.get().window,
      { local: t('history.time'), utc: t('day.utc') },
      (at) => format.exactTime(new Date(at)),
    );
    return shareFile(new File([text], nameOf('csv'), { type: 'text/csv' }));
  };
  const png = async () => {
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
    if (blob) await shareFile(new File([blob], nameOf('png'), { type: 'image/png' }));
  };
  const disabled = !ready || shown.length === 0;
  return (
    <div className={classes['sharing']}>
      <Button
        variant="default"
        disabled={disabled}
        leftSection={<Table size={22} aria-hidden />}
        onClick={csv}
      >
        {t('day.csv')}
      </Button>
      <Button
        variant="default"
        disabled={disabled}
        leftSection={<Picture size={22} aria-hidden />}
        onClick={png}
      >
        {t('day.png')}
      </Button>
    </div>
  );
}
