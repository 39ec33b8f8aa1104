// The controllers of the farm: whether each is there, a new password for one, shutting one out, taking one away.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import Offline from '~icon/PlugConnectedX';
import { failedLoad, failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { Banner } from '../../ui/Banner';
import { Dialog } from '../../ui/Dialog';
import { Panel } from '../../ui/Panel';
import { StatePill } from '../../ui/StatePill';
import classes from './Controllers.module.css';
import {
  type Controller,
  controllersQuery,
  useEnableController,
  useRemoveController,
  useRenewSecret,
} from './controllers';

export function Controllers({ farmId }: { farmId: string }) {
  const { t } = useTranslation();
  const query = useQuery(controllersQuery(farmId));
  const renew = useRenewSecret(farmId);
  const enable = useEnableController(farmId);
  const remove = useRemoveController(farmId);
  const failed = [renew, enable, remove].find(({ isError }) => isError);
  const busy = renew.isPending || enable.isPending || remove.isPending;
  const ask = (question: string, act: () => void) => {
    if (window.confirm(question)) act();
  };
  const account = renew.data?.mqtt;
  if (query.data?.length === 0) return null;
  return (
    <Panel title={t('places.controllers')} hint={t('places.controllersHint')}>
      {query.isError && <Banner {...failedLoad(t, query, t('places.controllersFailed'))} />}
      {failed && <Banner tone="bad" text={failureText(t, failed.error, t('places.saveFailed'))} />}
      {/* biome-ignore lint/a11y/noRedundantRoles: drawn without bullets it loses its role otherwise */}
      <ul role="list" className={classes['list']}>
        {query.data?.map((controller) => {
          const { macid, name, enabled } = controller;
          return (
            <li key={macid} data-controller={macid}>
              <About controller={controller} />
              <div className={classes['tools']}>
                <Button
                  variant="default"
                  disabled={busy}
                  aria-label={t('places.newPasswordOf', { name })}
                  onClick={() => ask(t('places.confirmNewPassword', { name }), () => renew.mutate(macid))}
                >
                  {t('places.newPassword')}
                </Button>
                <Button
                  variant="default"
                  disabled={busy}
                  aria-label={t(enabled ? 'places.shutOutOf' : 'places.letInOf', { name })}
                  onClick={() => {
                    const change = () => enable.mutate({ macid, enabled: !enabled });
                    if (enabled) ask(t('places.confirmShutOut', { name }), change);
                    else change();
                  }}
                >
                  {t(enabled ? 'places.shutOut' : 'places.letIn')}
                </Button>
                <Button
                  variant="default"
                  color="red"
                  disabled={busy}
                  aria-label={t('places.removeOf', { name })}
                  onClick={() =>
                    ask(t('places.confirmRemoveController', { name }), () => remove.mutate(macid))
                  }
                >
                  {t('places.remove')}
                </Button>
              </div>
            </li>
          );
        })}
      </ul>
      <Dialog
        opened={account !== undefined}
        onClose={renew.reset}
        title={t('places.newPassword')}
        closeLabel={t('form.close')}
      >
        {account && (
          <div className={classes['account']}>
            <p>{t('setup.secretsHint')}</p>
            <dl>
              <dt>{t('setup.broker')}</dt>
              <dd>{account.address}</dd>
              <dt>{t('setup.mqttUser')}</dt>
              <dd>{account.username}</dd>
              <dt>{t('setup.mqttPassword')}</dt>
              <dd>{account.password}</dd>
              <dt>{t('setup.topic')}</dt>
              <dd>{account.topic}</dd>
            </dl>
            <Button onClick={renew.reset}>{t('setup.noted')}</Button>
          </div>
        )}
      </Dialog>
    </Panel>
  );
}

function About({ controller }: { controller: Controller }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { name, macid, enabled, online, lastSeen, sensors, devices } = controller;
  return (
    <div className={classes['about']}>
      <p className={classes['name']}>{name}</p>
      <p className={classes['state']}>
        <code>{macid}</code>
        {!enabled && <StatePill tone="bad" word={t('places.shutOutNow')} />}
        {enabled && online && <StatePill tone="good" word={t('places.connected')} />}
        {enabled && !online && <StatePill tone="warn" icon={Offline} word={t('places.notConnected')} />}
        {!online && lastSeen !== null && (
          <span>{t('places.lastHeard', { time: format.clock(new Date(lastSeen)) })}</span>
        )}
        <span>
          {t('places.controllerThings', {
            sensors: format.count(sensors),
            devices: format.count(devices),
          })}
        </span>
      </p>
    </div>
  );
}
