// Water and doses of a reservoir: what ran on each day, who had decided it, what flowed and what was measured.
import { Button, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams, useSearchParams } from 'react-router';
import Csv from '~icon/FileDownload';
import type { FarmPageProps } from '../../api/farms';
import { reservoirsQuery } from '../../api/queries';
import { QueryState } from '../../screen/QueryState';
import { Banner } from '../../ui/Banner';
import { csvOf } from '../../ui/csv';
import { download } from '../../ui/download';
import { Empty } from '../../ui/Empty';
import { PageLayout } from '../../ui/PageLayout';
import { Panel } from '../../ui/Panel';
import { Days } from './Days';
import { rowsOf } from './file';
import classes from './Ledger.module.css';
import { type Ledger as Found, ledgerQuery, type Span, spans } from './queries';
import { useLedgerWords } from './words';

/** Days with a difference that are told above the table, the latest first. */
const TOLD_DAYS = 3;

export default function Ledger({ farmId }: FarmPageProps) {
  const words = useLedgerWords();
  const { t, format } = words;
  const { reservoir: id = '' } = useParams();
  const [search, setSearch] = useSearchParams();
  const asked = search.get('span');
  const span: Span = asked !== null && asked in spans ? (asked as Span) : 'd7';
  const today = format.isoDay(new Date());
  const query = useQuery(ledgerQuery(farmId, id, span, today));
  const reservoir = useQuery(reservoirsQuery(farmId)).data?.find((each) => each.id === id);
  const save = (found: Found) => {
    const rows = rowsOf(found, {
      heads: [
        t('ledger.day'),
        t('ledger.what'),
        t('ledger.kind'),
        t('ledger.by'),
        t('ledger.seconds'),
        t('ledger.computedLitres'),
        t('ledger.measuredLitres'),
      ],
      kind: (of) => ('device_id' in of ? words.domain.device(of.type) : words.domain.quantity(of.type)),
      meter: words.meterName,
      who: words.who,
      measured: t('ledger.measured'),
      notKnown: t('ledger.notKnown'),
    });
    download(`water-${spans[span]}-${today}.csv`, csvOf(rows), 'text/csv;charset=utf-8');
  };
  return (
    <PageLayout
      title={t('nav.ledger')}
      about={reservoir?.name}
      busy={query.isPending || query.isPlaceholderData}
      actions={
        <>
          <NativeSelect
            aria-label={t('ledger.span')}
            value={span}
            onChange={({ currentTarget }) => setSearch({ span: currentTarget.value }, { replace: true })}
            data={Object.keys(spans).map((value) => ({ value, label: t(`ledger.days.${value as Span}`) }))}
          />
          <Button
            variant="default"
            leftSection={<Csv size={20} aria-hidden />}
            disabled={!query.data?.sums.devices.length || query.isPlaceholderData}
            onClick={() => query.data && save(query.data)}
          >
            {t('ledger.csv')}
          </Button>
        </>
      }
    >
      <p className={classes['about']}>{t('ledger.about')}</p>
      <QueryState query={query} failed={t('ledger.failed')}>
        {(found) => <Shown found={found} />}
      </QueryState>
    </PageLayout>
  );
}

function Shown({ found }: { found: Found }) {
  const words = useLedgerWords();
  const { t, format } = words;
  const differences = found.days
    .toReversed()
    .flatMap(({ day, meters }) =>
      meters.map((reading) => ({ id: `${day} ${reading.sensor_id}`, day, text: words.difference(reading) })),
    )
    .filter(({ text }) => text !== undefined);
  if (found.sums.devices.length === 0 && found.meters.length === 0)
    return <Empty>{t('ledger.noDevices')}</Empty>;
  return (
    <>
      {found.incomplete && <Banner tone="warn" text={t('history.incomplete')} />}
      {differences.slice(0, TOLD_DAYS).map(({ id, day, text }) => (
        <Banner key={id} tone="warn" text={t('ledger.onDay', { day: format.shortDay(day), text })} />
      ))}
      <Budgets budgets={found.budgets} />
      <Days found={found} />
    </>
  );
}

/** What is left of the day's amounts. */
function Budgets({ budgets }: { budgets: Found['budgets'] }) {
  const { t, amount, time } = useLedgerWords();
  if (budgets.length === 0) return null;
  const left = (has: number | null, most: number | null, say: (value: number) => string) =>
    has !== null && most !== null && t('ledger.leftOf', { left: say(has), most: say(most) });
  return (
    <Panel title={t('ledger.leftToday')}>
      <dl className={classes['budgets']}>
        {budgets.map((budget) => (
          <div key={budget.device_id} data-budget={budget.device_id}>
            <dt>{budget.name}</dt>
            <dd>
              {[
                left(budget.left_ml, budget.ml_per_day, amount),
                left(budget.left_sec, budget.sec_per_day, time),
              ]
                .filter(Boolean)
                .join(' · ')}
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
