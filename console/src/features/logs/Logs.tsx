// What happened on the farm by itself and by hand, newest first (spec 2.19).
import { Skeleton, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useContext, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { failedLoad } from '../../i18n/failure';
import { FarmTimeZone, useFormat } from '../../i18n/format';
import { Banner } from '../../ui/Banner';
import { Dialog } from '../../ui/Dialog';
import { FilterBar } from './FilterBar';
import {
  isFiltered,
  isReversed,
  type LogFilters,
  type LogPlace,
  newerQuestion,
  PAGE_SIZE,
  question,
  readPlace,
  writePlace,
} from './filters';
import { LogDetails } from './LogDetails';
import { LogList } from './LogList';
import classes from './Logs.module.css';
import { LogTable } from './LogTable';
import { Pager } from './Pager';
import { pageCount } from './pages';
import { type LogEntry, type LogPage, logsQuery, newerQuery } from './queries';

/** From here on there is room for a table (the same width as in CardTable.module.css). */
const WIDE = '(min-width: 75em)';

const nothing: LogPage = {
  total: 0,
  matching: 0,
  page: 1,
  pageSize: PAGE_SIZE,
  items: [],
  incomplete: false,
};

export default function Logs({ farmId }: { farmId: string }) {
  const { t } = useTranslation();
  const timeZone = useContext(FarmTimeZone);
  const [search, setSearch] = useSearchParams();
  const place = useMemo(() => readPlace(search), [search]);
  const asked = useMemo(() => question(place, timeZone), [place, timeZone]);
  const logs = useQuery(logsQuery(farmId, asked));
  const newer = useQuery(newerQuery(farmId, newerQuestion(place, timeZone)));
  const [shown, setShown] = useState<LogEntry>();
  const [open, setOpen] = useState(false);
  const wide = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false });
  const Entries = wide ? LogTable : LogList;
  const top = useRef<HTMLDivElement>(null);
  const go = (next: LogPlace, replace = false) => setSearch(writePlace(next), { replace });

  // Days the wrong way round find nothing; the page before must not stand for it.
  const data = isReversed(asked) ? nothing : logs.data;
  const pages = data && pageCount(data.matching, data.pageSize);
  useEffect(() => {
    // A later page opened by its address: its place in the log is kept from now on.
    if (place.page > 1 && place.asOf === undefined) {
      setSearch(writePlace({ ...place, asOf: Date.now() }), { replace: true });
    } else if (pages !== undefined && place.page > pages && !logs.isPlaceholderData) {
      setSearch(writePlace({ ...place, page: pages }), { replace: true });
    }
  }, [place, pages, logs.isPlaceholderData, setSearch]);

  const turn = (page: number) => {
    const asOf = place.asOf ?? data?.items[0]?.timestamp;
    go({ filters: place.filters, page, ...(page > 1 && asOf !== undefined && { asOf }) });
    top.current?.scrollIntoView({ block: 'start' });
  };

  return (
    <div className={classes['page']}>
      <h1 className={classes['title']}>{t('logs.title')}</h1>
      <FilterBar
        filters={place.filters}
        onChange={(filters: LogFilters, replace) => go({ filters, page: 1 }, replace)}
      />
      {logs.isError && <Banner {...failedLoad(t, logs, t('logs.failed'))} />}
      {!data && logs.isPending && <Loading />}
      {data && (
        <div ref={top} className={classes['results']} aria-busy={logs.isPlaceholderData}>
          {data !== nothing && (
            <Count
              matching={data.matching}
              total={data.total}
              asked={logs.isPlaceholderData ? undefined : asked}
            />
          )}
          {data.incomplete && <Banner tone="warn" text={t('history.incomplete')} />}
          {newer.data !== undefined && newer.data > 0 && <Newer count={newer.data} onShow={() => turn(1)} />}
          {data.items.length === 0 ? (
            <div className={classes['empty']}>
              <h2>{t('logs.none')}</h2>
              <p>{t(isFiltered(place.filters) ? 'logs.noneFiltered' : 'logs.noneYet')}</p>
            </div>
          ) : (
            <>
              <Entries
                entries={data.items}
                onOpen={(entry) => {
                  setShown(entry);
                  setOpen(true);
                }}
              />
              <Pager page={data.page} pageSize={data.pageSize} entries={data.matching} onTurn={turn} />
            </>
          )}
        </div>
      )}
      <Dialog
        opened={open}
        onClose={() => setOpen(false)}
        title={t('logs.details')}
        closeLabel={t('form.close')}
      >
        {/* As it is now, if it is still on the page: a pending command may have succeeded meanwhile. */}
        {shown && (
          <LogDetails farmId={farmId} entry={data?.items.find(({ id }) => id === shown.id) ?? shown} />
        )}
      </Dialog>
    </div>
  );
}

function Loading() {
  const { t } = useTranslation();
  return (
    <div className={classes['loading']}>
      <p role="status">{t('logs.loading')}</p>
      <Skeleton height={320} radius="md" aria-hidden />
    </div>
  );
}

/** How much is shown. Said aloud when something else was asked for, not at every new entry. */
function Count({ matching, total, asked }: { matching: number; total: number; asked: object | undefined }) {
  const { t } = useTranslation();
  const format = useFormat();
  const text = t('logs.showing', { shown: format.count(matching), total: format.count(total) });
  const [said, setSaid] = useState<{ asked: object | undefined; text: string }>({
    asked: undefined,
    text: '',
  });
  useEffect(() => {
    if (asked !== undefined && asked !== said.asked) setSaid({ asked, text });
  }, [asked, said.asked, text]);
  return (
    <>
      <p className={classes['count']}>{text}</p>
      <VisuallyHidden role="status">{said.text}</VisuallyHidden>
    </>
  );
}

/** Entries that have come while somebody reads older ones. */
function Newer({ count, onShow }: { count: number; onShow: () => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <Banner
      tone="quiet"
      text={t('logs.newer', { entries: format.count(count) })}
      action={{ label: t('logs.showNewest'), run: onShow }}
    />
  );
}
