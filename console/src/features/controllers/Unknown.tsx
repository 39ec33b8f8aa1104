// What nobody reads yet: messages of unknown devices, grouped, and announced numbers. A tap takes a number over; then its
// value and its chart are one tap away.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { controllersQuery } from '../../api/controllers';
import { unknownSendersQuery } from '../../api/device-profiles';
import type { FarmPageProps } from '../../api/farms';
import { polyhousesQuery, registeredSensorsQuery } from '../../api/queries';
import { useDomain } from '../../i18n/domain';
import { failedLoad, failedOf } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { Link } from '../../screen/Link';
import { chartOf } from '../../screen/place';
import { Banner } from '../../ui/Banner';
import { PageLayout } from '../../ui/PageLayout';
import { Panel } from '../../ui/Panel';
import classes from './Found.module.css';
import { type Taken, UnknownSender } from './UnknownSender';

/** While somebody waits for the first value. */
const WATCH_MS = 2_000;

export default function Unknown({ farmId, writes }: FarmPageProps) {
  const { t } = useTranslation();
  const { count } = useFormat();
  const domain = useDomain();
  const [taken, setTaken] = useState<Taken[]>([]);
  const unknown = useQuery(unknownSendersQuery(farmId));
  const controllers = useQuery(controllersQuery(farmId));
  const polyhouses = useQuery(polyhousesQuery(farmId));
  const sensors = useQuery({
    ...registeredSensorsQuery(farmId),
    enabled: taken.length > 0,
    refetchInterval: WATCH_MS,
  }).data;
  const failed = failedOf([unknown, controllers, polyhouses]);
  const senders = unknown.data?.senders ?? [];
  const houses = polyhouses.data;

  return (
    <PageLayout title={t('screen.controller.unknownTitle')} about={t('controllers.unknown.about')}>
      {failed && <Banner {...failedLoad(t, failed, t('controllers.failed'))} />}
      {taken.length > 0 && (
        <Panel title={t('controllers.unknown.done')}>
          {/* biome-ignore lint/a11y/noRedundantRoles: drawn without bullets it loses its role otherwise */}
          <ul role="list" className={classes['list']}>
            {taken.map((each) => {
              const value = sensors?.find(({ id }) => id === each.id)?.latestValue ?? null;
              return (
                <li key={each.id} data-taken={each.id}>
                  <div className={classes['about']}>
                    <p className={classes['name']}>{domain.quantity(each.type)}</p>
                    <p className={classes['soft']}>
                      <code>{each.id}</code> · {domain.placePath(each.place, houses)}
                    </p>
                  </div>
                  <span className={classes['value']} role="status">
                    {value === null ? t('controllers.unknown.waiting') : domain.amount(each.type, value)}
                  </span>
                  {value !== null && (
                    <Button component={Link} to={chartOf(each.type, each.place)} variant="light">
                      {t('controllers.unknown.chart')}
                    </Button>
                  )}
                </li>
              );
            })}
          </ul>
        </Panel>
      )}
      {unknown.data && controllers.data && houses && (
        <>
          {senders.length === 0 && <Banner tone="quiet" text={t('controllers.unknown.none')} />}
          {senders.map((sender) => (
            <UnknownSender
              key={`${sender.controller} ${sender.pattern}`}
              farmId={farmId}
              sender={sender}
              controller={controllers.data.find(({ macid }) => macid === sender.controller)}
              polyhouses={houses}
              now={unknown.dataUpdatedAt}
              writes={writes}
              onTaken={(more) =>
                setTaken((before) => [
                  ...more,
                  ...before.filter(({ id }) => more.every((each) => each.id !== id)),
                ])
              }
            />
          ))}
        </>
      )}
      {unknown.data !== undefined && unknown.data.overflow > 0 && (
        <Banner
          tone="warn"
          text={t('controllers.unknown.overflow', {
            count: unknown.data.overflow,
            value: count(unknown.data.overflow),
          })}
        />
      )}
      <p className={classes['next']}>
        <Link to="/automation/controllers">{t('controllers.title')}</Link>
      </p>
    </PageLayout>
  );
}
