// What stands in place of data: its shape while it is asked for, why it could not be loaded and the way to ask again, or that
// there is none.
import { Skeleton, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { failedLoad } from '../i18n/failure';
import { Banner } from '../ui/Banner';
import { CardList } from '../ui/CardList';
import { Empty } from '../ui/Empty';

interface Props<Data> {
  query: {
    data: Data | undefined;
    isPending: boolean;
    isError: boolean;
    isFetching: boolean;
    error: unknown;
    refetch: () => unknown;
  };
  /** What is said where the server says nothing. */
  failed: string;
  /** What is said of an empty list. */
  empty?: string;
  /** What is drawn while waiting, in place of some cards. */
  shape?: ReactNode;
  children: (data: Data) => ReactNode;
}

export function QueryState<Data>({ query, failed, empty, shape, children }: Props<Data>) {
  const { t } = useTranslation();
  const { data, isPending, isError } = query;
  return (
    <>
      {isError && <Banner {...failedLoad(t, query, failed)} />}
      {isPending && (
        <>
          <VisuallyHidden role="status">{t('app.loading')}</VisuallyHidden>
          <div aria-hidden>
            {shape ?? (
              <CardList>
                {[1, 2, 3].map((nth) => (
                  <li key={nth}>
                    <Skeleton height={200} radius="md" />
                  </li>
                ))}
              </CardList>
            )}
          </div>
        </>
      )}
      {empty && Array.isArray(data) && data.length === 0 && <Empty>{empty}</Empty>}
      {data !== undefined && children(data)}
    </>
  );
}
