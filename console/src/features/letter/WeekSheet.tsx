// A week on one sheet, to be printed on A4: a table a house, a row a day. Black on white, and nothing that colour alone tells.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import Day from '~icon/MailOpened';
import Print from '~icon/Printer';
import { Link } from '../../screen/Link';
import { QueryState } from '../../screen/QueryState';
import { PageLayout } from '../../ui/PageLayout';
import { shifted } from './days';
import classes from './Letter.module.css';
import { type Schemas, type Week, weekQuery } from './queries';
import { Turning } from './Turning';
import { useWords, type Words } from './useWords';
import sheet from './WeekSheet.module.css';

const WEEK = 7;
/** Nothing of the kind. */
const NOTHING = '–';

interface Props {
  farmId: string;
  farm: string;
  day: string | null;
}

export function WeekSheet({ farmId, farm, day }: Props) {
  const words = useWords();
  const { t } = words;
  const query = useQuery(weekQuery(farmId, day));
  return (
    <PageLayout
      title={t('letter.week')}
      about={farm}
      busy={query.isPending}
      actions={
        <>
          <Button
            variant="default"
            component={Link}
            to={day ? `/letter?day=${day}` : '/letter'}
            leftSection={<Day size={22} aria-hidden />}
          >
            {t('letter.toDay')}
          </Button>
          <Button leftSection={<Print size={22} aria-hidden />} onClick={() => window.print()}>
            {t('letter.print')}
          </Button>
        </>
      }
    >
      <QueryState query={query} failed={t('letter.failed')}>
        {(week) => <Shown week={week} words={words} />}
      </QueryState>
    </PageLayout>
  );
}

function Shown({ week, words }: { week: Week; words: Words }) {
  const { t, format } = words;
  const { from, to, houses, knownUntil, incomplete } = week;
  const next = shifted(from, WEEK);
  return (
    <div className={classes['letter']}>
      <Turning
        of="week"
        title={t('letter.sheet.title', { from: format.shortDay(from), to: format.shortDay(to) })}
        earlier={`/letter?week=${shifted(from, -WEEK)}`}
        later={next <= format.isoDay(new Date()) ? `/letter?week=${next}` : undefined}
      />
      {houses.map((house) => (
        <HouseTable key={house.id ?? ''} house={house} words={words} />
      ))}
      <p className={classes['note']}>{t('letter.sheet.hint')}</p>
      <p className={classes['note']}>
        {t('letter.sheet.known', { time: format.dateTime(new Date(knownUntil)) })}
      </p>
      {incomplete && <p className={classes['note']}>{t('history.incomplete')}</p>}
    </div>
  );
}

type Row = Schemas['LetterWeekTotal'];

function HouseTable({ house, words }: { house: Schemas['LetterWeekHouse']; words: Words }) {
  const { t, domain, format } = words;
  const name = house.name ?? t('letter.sheet.wholeFarm');
  const measured = house.id !== null;
  const cells = (row: Row, isTotal: boolean) => (
    <>
      {measured && (
        <>
          <td>{hour(row.hottest, words, isTotal)}</td>
          <td>{hour(row.coldest, words, isTotal)}</td>
          <td>{lasted(row.outsideSec, row.outsideUnknownSec, words)}</td>
        </>
      )}
      {house.kinds.map((kind, index) => {
        const { onSec, unknownSec } = row.devices[index] ?? { onSec: null, unknownSec: 1 };
        return <td key={kind}>{lasted(onSec, unknownSec, words)}</td>;
      })}
      <td>{row.litres === null ? NOTHING : format.tenth(row.litres)}</td>
      <td>{row.harvestKg === null ? NOTHING : format.quantity(row.harvestKg)}</td>
    </>
  );
  return (
    <section className={sheet['house']}>
      <h3>{name}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is wider than the screen is moved with keys too */}
      <section className={sheet['wide']} tabIndex={0} aria-label={t('letter.sheet.caption', { house: name })}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t('letter.sheet.day')}</th>
              {measured && (
                <>
                  <th scope="col">{t('letter.sheet.hottest')}</th>
                  <th scope="col">{t('letter.sheet.coldest')}</th>
                  <th scope="col">{t('letter.sheet.outside')}</th>
                </>
              )}
              {house.kinds.map((kind) => (
                <th key={kind} scope="col">
                  {t('letter.sheet.hours', { device: domain.device(kind) })}
                </th>
              ))}
              <th scope="col">{t('letter.sheet.litres')}</th>
              <th scope="col">{t('letter.sheet.harvest')}</th>
            </tr>
          </thead>
          <tbody>
            {house.days.map((row) => (
              <tr key={row.day}>
                <th scope="row">
                  <Link to={`/letter?day=${row.day}`}>{format.dayOfMonth(row.day)}</Link>
                </th>
                {cells(row, false)}
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{t('letter.sheet.total')}</th>
              {cells(house.total, true)}
            </tr>
          </tfoot>
        </table>
      </section>
    </section>
  );
}

/** The mean of an hour with its time, or its day in the week's row. */
function hour(of: Row['hottest'], { t, celsius, format }: Words, withDay: boolean) {
  if (!of) return t('letter.unknown');
  const began = new Date(of.from);
  return (
    <>
      {celsius(of.mean)} <small>{withDay ? format.day(began) : format.hour(began)}</small>
    </>
  );
}

/** How long something lasted: at least so long where a part is not known. */
function lasted(seconds: number | null, unknown: number, { t, length }: Words): string {
  if (seconds === null) return unknown > 0 ? t('letter.unknown') : NOTHING;
  return unknown > 0 ? `≥ ${length(seconds)}` : length(seconds);
}
