// When the server was off, controllers were out of reach and there was no power, and what came of each.
import { Button, NativeSelect } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import Csv from '~icon/FileDownload';
import type { FarmPageProps } from '../../api/farms';
import { useDomain } from '../../i18n/domain';
import { failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { QueryState } from '../../screen/QueryState';
import { Banner } from '../../ui/Banner';
import { download } from '../../ui/download';
import { Empty } from '../../ui/Empty';
import { PageLayout } from '../../ui/PageLayout';
import { csvOf } from './csv';
import { OutageCard } from './OutageCard';
import classes from './Outages.module.css';
import { allOutages, type OutagePage, outagesQuery, rounded, type Span, spans } from './queries';

export default function Outages({ farmId }: FarmPageProps) {
  const { t } = useTranslation();
  const [search, setSearch] = useSearchParams();
  const asked = search.get('span');
  const span: Span = asked !== null && asked in spans ? (asked as Span) : 'd7';
  const page = Math.max(1, Math.floor(Number(search.get('page') ?? 1)) || 1);
  const query = useQuery(outagesQuery(farmId, span, page));
  const file = useFile(farmId, span);
  const turn = (next: number) => {
    setSearch({ span, page: String(next) });
    window.scrollTo({ top: 0 });
  };
  return (
    <PageLayout
      title={t('nav.outages')}
      about={t('outages.about')}
      busy={query.isPending || query.isPlaceholderData}
      actions={
        <>
          <NativeSelect
            aria-label={t('outages.span')}
            value={span}
            onChange={({ currentTarget }) => setSearch({ span: currentTarget.value })}
            data={Object.keys(spans).map((value) => ({ value, label: t(`outages.days.${value as Span}`) }))}
          />
          <Button
            variant="default"
            leftSection={<Csv size={20} aria-hidden />}
            disabled={!query.data?.total || file.isPending}
            onClick={() => file.mutate()}
          >
            {t('outages.csv')}
          </Button>
        </>
      }
    >
      {file.isError && <Banner tone="warn" text={failureText(t, file.error, t('outages.failed'))} />}
      <QueryState query={query} failed={t('outages.failed')}>
        {(found) => (
          <>
            <Sums found={found} />
            {found.cut && <Banner tone="warn" text={t('outages.cut')} />}
            {found.incomplete && <Banner tone="warn" text={t('history.incomplete')} />}
            {found.total === 0 && <Empty>{t('outages.none')}</Empty>}
            <ul className={classes['list']}>
              {found.items.map((outage) => (
                <li key={`${outage.kind} ${outage.id} ${outage.from}`}>
                  <OutageCard outage={outage} />
                </li>
              ))}
            </ul>
            <Turn found={found} onTurn={turn} />
          </>
        )}
      </QueryState>
    </PageLayout>
  );
}

/** How often and how long each kind was. */
function Sums({ found }: { found: OutagePage }) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useDomain();
  if (found.sums.length === 0) return null;
  return (
    <dl className={classes['sums']}>
      {found.sums.map(({ kind, count, seconds }) => (
        <div key={kind} data-sum={kind}>
          <dt>{t(`outages.kind.${kind}`)}</dt>
          <dd>
            {t('outages.sum', { count, value: format.count(count), time: words.duration(rounded(seconds)) })}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Turn({ found, onTurn }: { found: OutagePage; onTurn: (page: number) => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const pages = Math.ceil(found.total / found.pageSize);
  if (pages <= 1) return null;
  return (
    <nav className={classes['turn']} aria-label={t('nav.outages')}>
      <Button variant="default" disabled={found.page <= 1} onClick={() => onTurn(found.page - 1)}>
        {t('outages.later')}
      </Button>
      <span>{t('outages.page', { page: format.count(found.page), pages: format.count(pages) })}</span>
      <Button variant="default" disabled={found.page >= pages} onClick={() => onTurn(found.page + 1)}>
        {t('outages.earlier')}
      </Button>
    </nav>
  );
}

/** Makes the file of a span. */
function useFile(farmId: string, span: Span) {
  const { t } = useTranslation();
  const format = useFormat();
  return useMutation({
    mutationFn: async () => {
      const now = Date.now();
      const text = csvOf(
        await allOutages(farmId, span),
        {
          heads: [
            t('outages.what'),
            t('outages.whose'),
            t('outages.begin'),
            t('outages.end'),
            t('outages.seconds'),
            t('outages.cause'),
          ],
          kind: (kind) => t(`outages.kind.${kind}`),
          cause: (kind) => t(`outages.${kind}`),
          local: (at) => `${format.isoDay(new Date(at))} ${format.exactTime(new Date(at))}`,
        },
        now,
      );
      download(`outages-${format.isoDay(new Date(now))}.csv`, text, 'text/csv;charset=utf-8');
    },
  });
}
