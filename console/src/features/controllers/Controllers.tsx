// The controllers of the farm: whether each is there, a new password for one, shutting one out, taking one away.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import Offline from '~icon/PlugConnectedX';
import { api, ifMatch } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { QueryState } from '../../screen/QueryState';
import { useAction } from '../../screen/useAction';
import { confirm } from '../../ui/confirm';
import { Dialog } from '../../ui/Dialog';
import { Panel } from '../../ui/Panel';
import { StatePill } from '../../ui/StatePill';
import classes from './Controllers.module.css';
import { type Controller, controllersQuery, useRenewSecret } from './controllers';

export function Controllers({ farmId }: { farmId: string }) {
  const { t } = useTranslation();
  const query = useQuery(controllersQuery(farmId));
  const renew = useRenewSecret(farmId);
  const action = useAction(farmId);
  const busy = renew.isPending || action.busy;
  const failed = t('places.saveFailed');
  const account = renew.data?.mqtt;
  const at = (macid: string) => ({ params: { path: { farmId, macid } } });
  const enable = (controller: Controller) => {
    const { macid, name, enabled } = controller;
    const change = {
      failed,
      call: () =>
        api.PATCH('/api/farms/{farmId}/controllers/{macid}', {
          ...at(macid),
          headers: ifMatch(controller),
          body: { enabled: !enabled },
        }),
    };
    if (enabled)
      action.ask({ ...change, question: t('places.confirmShutOut', { name }), yes: t('places.shutOut') });
    else action.run(change);
  };
  const remove = (controller: Controller) =>
    action.ask({
      question: t('places.confirmRemoveController', { name: controller.name }),
      yes: t('places.remove'),
      failed,
      call: () =>
        api.DELETE('/api/farms/{farmId}/controllers/{macid}', {
          ...at(controller.macid),
          headers: ifMatch(controller),
        }),
    });
  const renewSecret = ({ macid, name }: Controller) =>
    confirm({
      question: t('places.confirmNewPassword', { name }),
      yes: t('places.newPassword'),
      no: t('form.cancel'),
      run: () => renew.mutate(macid),
    });
  if (query.data?.length === 0) return null;
  return (
    <Panel title={t('places.controllers')} hint={t('places.controllersHint')}>
      <QueryState query={query} failed={t('places.controllersFailed')} shape={null}>
        {(controllers) => (
          // biome-ignore lint/a11y/noRedundantRoles: drawn without bullets it loses its role otherwise
          <ul role="list" className={classes['list']}>
            {controllers.map((controller) => {
              const { macid, name, enabled } = controller;
              const tools = [
                { word: t('places.newPassword'), of: t('places.newPasswordOf', { name }), run: renewSecret },
                {
                  word: t(enabled ? 'places.shutOut' : 'places.letIn'),
                  of: t(enabled ? 'places.shutOutOf' : 'places.letInOf', { name }),
                  run: enable,
                },
                { word: t('places.remove'), of: t('places.removeOf', { name }), run: remove },
              ];
              return (
                <li key={macid} data-controller={macid}>
                  <About controller={controller} />
                  <div className={classes['tools']}>
                    {tools.map(({ word, of, run }) => (
                      <Button
                        key={word}
                        variant="default"
                        disabled={busy}
                        aria-label={of}
                        onClick={() => run(controller)}
                      >
                        {word}
                      </Button>
                    ))}
                  </div>
                </li>
              );
            })}
          </ul>
        )}
      </QueryState>
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
