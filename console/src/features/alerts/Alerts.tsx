// The alert rules of the farm (spec 2.14), at /alerts and /notifications.
import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import Add from '~icon/BellPlus';
import type { FarmPageProps } from '../../api/farms';
import { polyhousesQuery } from '../../api/queries';
import { failedLoad, failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { Banner } from '../../ui/Banner';
import { Dialog } from '../../ui/Dialog';
import { AlertCard } from './AlertCard';
import { AlertForm } from './AlertForm';
import classes from './Alerts.module.css';
import { type Alert, inOrder, standingOf } from './alert';
import { alertsQuery, useDeleteAlert, useSetActive } from './queries';

/** In the address, so that it can be linked to and the way back closes it: `?new`, or `?edit=` with an id. */
type Target = { alert: Alert | undefined };

export default function Alerts({ farm, writes: handles }: FarmPageProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const [search, setSearch] = useSearchParams();
  const alerts = useQuery(alertsQuery(farm.id));
  const places = useQuery(polyhousesQuery(farm.id));
  const setActive = useSetActive(farm.id);
  const remove = useDeleteAlert(farm.id);
  const target = handles ? targetOf(search, alerts.data) : undefined;
  // While the window fades out it still shows what it was opened for, as it was then.
  const [shown, setShown] = useState(target);
  if (target && (target.alert?.id !== shown?.alert?.id || !shown)) setShown(target);
  const close = () => setSearch({}, { replace: true });
  const trouble = setActive.isError
    ? failureText(t, setActive.error, t('alerts.saveFailed'))
    : remove.isError
      ? failureText(t, remove.error, t('alerts.deleteFailed'))
      : undefined;

  return (
    <div className={classes['page']}>
      <div className={classes['head']}>
        <h1>{t('alerts.title')}</h1>
        {handles && (
          <Button leftSection={<Add size={20} aria-hidden />} onClick={() => setSearch({ new: '' })}>
            {t('alerts.add')}
          </Button>
        )}
      </div>
      {!handles && <Banner tone="quiet" text={t('alerts.readOnly')} />}
      {trouble && <Banner tone="bad" text={trouble} />}
      {alerts.isError && <Banner {...failedLoad(t, alerts, t('alerts.fetchFailed'))} />}
      {alerts.isPending && <Waiting />}
      {alerts.data && <Summary alerts={alerts.data} />}
      {alerts.data?.some(({ channels }) => (channels ?? []).length > 0) && (
        <p className={classes['hint']}>{t('alerts.keptInApp')}</p>
      )}
      {alerts.data && alerts.data.length > 0 && (
        <ul className={classes['cards']}>
          {inOrder(alerts.data, format.compare).map((alert) => (
            <li key={alert.id}>
              <AlertCard
                alert={alert}
                polyhouses={places.data}
                busy={setActive.isPending || remove.isPending}
                onToggle={() => {
                  remove.reset();
                  setActive.mutate({ id: alert.id, isActive: !alert.isActive }, { onSettled: focusKeeper() });
                }}
                onEdit={() => setSearch({ edit: alert.id })}
                onDelete={() => {
                  setActive.reset();
                  if (window.confirm(t('alerts.confirmDelete'))) remove.mutate(alert.id);
                }}
              />
            </li>
          ))}
        </ul>
      )}
      <Dialog
        opened={target !== undefined}
        onClose={close}
        title={t(shown?.alert ? 'alerts.edit' : 'alerts.new')}
        closeLabel={t('form.close')}
      >
        <AlertForm farm={farm} alert={shown?.alert} polyhouses={places.data} onDone={close} />
      </Dialog>
    </div>
  );
}

function targetOf(search: URLSearchParams, alerts: readonly Alert[] | undefined): Target | undefined {
  if (search.has('new')) return { alert: undefined };
  const alert = alerts?.find(({ id }) => id === search.get('edit'));
  return alert && { alert };
}

/** A card that is switched off may move down the list, and its switch waits meanwhile: either loses the focus. */
function focusKeeper(): () => void {
  const at = document.activeElement;
  return () => {
    setTimeout(() => {
      if (document.activeElement === document.body && at instanceof HTMLElement) at.focus();
    });
  };
}

function Summary({ alerts }: { alerts: readonly Alert[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const raised = alerts.filter((alert) => standingOf(alert) === 'raised').length;
  const key = alerts.length === 0 ? 'alerts.none' : raised === 0 ? 'alerts.noneRaised' : 'alerts.raisedNow';
  return (
    <p role="status" className={classes[alerts.length === 0 ? 'empty' : 'summary']}>
      {t(key, { count: raised, value: format.count(raised) })}
    </p>
  );
}

function Waiting() {
  const { t } = useTranslation();
  return (
    <>
      <p role="status" className={classes['summary']}>
        {t('app.loading')}
      </p>
      <div className={classes['cards']} aria-hidden>
        <Skeleton height={280} radius="md" />
        <Skeleton height={280} radius="md" />
        <Skeleton height={280} radius="md" />
      </div>
    </>
  );
}
