// The records of one kind: their list, what is done with them, their form, and the list as a file.
import { Button, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import Download from '~icon/Download';
import Add from '~icon/Plus';
import { ifMatch } from '../../api/client';
import type { FarmPageProps } from '../../api/farms';
import { useFormat } from '../../i18n/format';
import { EditDelete } from '../../screen/EditDelete';
import { FormDialog } from '../../screen/FormDialog';
import { QueryState } from '../../screen/QueryState';
import { useAction } from '../../screen/useAction';
import { useDialog } from '../../screen/useDialog';
import { CardCell, CardRow, CardTable } from '../../ui/CardTable';
import { PageLayout } from '../../ui/PageLayout';
import { Cells, headings } from './Cells';
import { csv, download } from './csv';
import { FieldInput } from './FieldInput';
import { asked, first, wire, wrong } from './field';
import { type Kept, type Kind, recordsQuery } from './kind';
import classes from './Records.module.css';

interface Props<T extends Kept> {
  kind: Kind<T>;
  farmId: string;
  writes: boolean;
  /** What a new record of it begins with. */
  begin?: Partial<T>;
  /** What else can be done with one, by who may change it. */
  tools?: (record: T) => ReactNode;
  /** Whether it is a part of a page, and not all of it. */
  part?: boolean;
}

/** How far back records are listed, in days. */
const spans = { 30: 'records.month', 365: 'records.year', 0: 'records.all' } as const;
const DAY_MS = 86_400_000;

export function Records<T extends Kept>({ kind, farmId, writes, begin, tools, part = false }: Props<T>) {
  const { t } = useTranslation();
  const format = useFormat();
  const [days, setDays] = useState(kind.dated ? '365' : '0');
  const from = days === '0' ? {} : { from: format.isoDay(new Date(Date.now() - Number(days) * DAY_MS)) };
  const query = useQuery(recordsQuery(farmId, kind, from));
  const { ask } = useAction(farmId);
  const dialog = useDialog(kind.list);
  const edited = query.data?.find(({ id }) => id === dialog.editId);
  const say = { t, format };
  const remove = (record: T) =>
    ask({
      question: t('records.confirmDelete', { name: kind.name(record, say) }),
      failed: t('records.deleteFailed'),
      call: () => kind.calls.remove(farmId, record.id, ifMatch(record)),
    });
  const { data } = query;
  const actions = (
    <>
      {kind.dated && (
        <NativeSelect
          aria-label={t('records.span')}
          value={days}
          onChange={({ currentTarget }) => setDays(currentTarget.value)}
          data={Object.entries(spans).map(([value, label]) => ({ value, label: t(label) }))}
        />
      )}
      {data && data.length > 0 && (
        <Button
          variant="default"
          leftSection={<Download size={20} aria-hidden />}
          onClick={() => download(`${kind.list}.csv`, csv(data, kind.columns, say))}
        >
          {t('records.export')}
        </Button>
      )}
      {writes && (
        <Button leftSection={<Add size={20} aria-hidden />} onClick={dialog.add}>
          {t(kind.add)}
        </Button>
      )}
    </>
  );
  const body = (
    <>
      <QueryState
        query={query}
        failed={t('records.loadFailed')}
        empty={t(writes ? kind.hint : 'records.none')}
      >
        {(records) =>
          records.length > 0 && (
            <CardTable
              className={classes['table']}
              columns={[...headings(kind.columns, t), ...(writes ? [t('records.actions')] : [])]}
            >
              {records.map((record) => (
                <CardRow key={record.id} data-record={record.id}>
                  <Cells columns={kind.columns} record={record} say={say} />
                  {writes && (
                    <CardCell>
                      <div className={classes['tools']}>
                        {tools?.(record)}
                        <EditDelete
                          name={kind.name(record, say)}
                          onEdit={() => dialog.edit(record.id)}
                          onDelete={() => remove(record)}
                        />
                      </div>
                    </CardCell>
                  )}
                </CardRow>
              ))}
            </CardTable>
          )
        }
      </QueryState>
      <FormDialog
        farmId={farmId}
        opened={writes && (dialog.isNew || edited !== undefined)}
        onClose={dialog.close}
        title={t(edited ? kind.edit : kind.add)}
        failed={t('records.saveFailed')}
        known={edited}
        values={(known) =>
          Object.fromEntries(
            kind.fields.map((field) => [
              field.name,
              known
                ? first(field, known)
                : first(field, { ...begin, ...dialog.begin }, format.isoDay(new Date())),
            ]),
          )
        }
        check={(values) => wrong(kind.fields, values, t)}
        save={(values, known, headers) => {
          const body = wire(kind.fields, values);
          return known
            ? kind.calls.replace(farmId, known.id, body, headers)
            : kind.calls.create(farmId, body, headers);
        }}
      >
        {(form) =>
          kind.fields
            .filter((field) => asked(field, form.values))
            .map((field) => (
              <FieldInput key={field.name} field={field} name={field.name} form={form} farmId={farmId} />
            ))
        }
      </FormDialog>
    </>
  );
  const title = t(kind.title);
  return part ? (
    <section className={classes['part']} aria-labelledby={kind.list}>
      <header className={classes['head']}>
        <h2 id={kind.list}>{title}</h2>
        <div className={classes['actions']}>{actions}</div>
      </header>
      {body}
    </section>
  ) : (
    <PageLayout title={title} busy={query.isPending} actions={actions}>
      {body}
    </PageLayout>
  );
}

/** A page that has all of one kind and nothing else. */
export function recordsPage<T extends Kept>(kind: Kind<T>) {
  return function RecordsPage({ farmId, writes }: FarmPageProps) {
    return <Records kind={kind} farmId={farmId} writes={writes} />;
  };
}
