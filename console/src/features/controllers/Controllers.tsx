// The controllers of the farm at any time: how each is, one more, a new password, another name, blocking and removing one.
import { Button, Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import Add from '~icon/Plus';
import { api } from '../../api/client';
import { type Controller, controllersQuery } from '../../api/controllers';
import type { FarmPageProps } from '../../api/farms';
import { devicesQuery } from '../../api/queries';
import { useFormat } from '../../i18n/format';
import { Link } from '../../screen/Link';
import { keepNewControllers, useNewControllers } from '../../screen/new-controllers';
import { QueryState } from '../../screen/QueryState';
import { useAction } from '../../screen/useAction';
import { useDialog } from '../../screen/useDialog';
import { Banner } from '../../ui/Banner';
import { PageLayout } from '../../ui/PageLayout';
import { toast } from '../../ui/toast';
import { ControllerForm } from './ControllerForm';
import { ControllerTable } from './ControllerTable';
import { Gone } from './Gone';
import { RenameForm } from './RenameForm';

/** With its QR code it is only loaded when there is something to show. */
const AccountDialog = lazy(() => import('./AccountDialog'));

export default function Controllers({ farmId, writes }: FarmPageProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const cache = useQueryClient();
  const query = useQuery(controllersQuery(farmId));
  const devices = useQuery(devicesQuery(farmId)).data;
  const { run, ask, busy } = useAction(farmId);
  const dialog = useDialog();
  const [unnoted, forget] = useNewControllers();
  const [accountsLoad, loadAccounts] = useState(unnoted.length > 0);
  if (unnoted.length > 0 && !accountsLoad) loadAccounts(true);
  const renamed = query.data?.find(({ id }) => id === dialog.editId);
  const failed = t('places.saveFailed');
  const at = ({ macid }: Controller) => ({ params: { path: { farmId, macid } } });

  /** A question after which a controller cannot be reached names those of its devices that go on. */
  const andGoOn = (question: string, { macid }: Controller) => {
    const goOn =
      devices?.filter(({ controller, leaseEnd }) => controller === macid && leaseEnd !== null) ?? [];
    if (goOn.length === 0) return question;
    return `${question} ${t('controllers.goOn', { devices: format.list(goOn.map(({ name }) => name)) })}`;
  };
  const renew = (controller: Controller) =>
    ask({
      question: andGoOn(t('controllers.confirmNewPassword', { name: controller.name }), controller),
      yes: t('controllers.newPassword'),
      failed,
      call: async () => {
        const made = await api.POST('/api/farms/{farmId}/controllers/{macid}/secret', at(controller));
        if (made.data) keepNewControllers(cache, [{ ...controller, mqtt: made.data.mqtt }]);
        return made;
      },
    });
  const enable = (controller: Controller) => {
    const { name, enabled } = controller;
    const change = {
      failed,
      call: () =>
        api.PATCH('/api/farms/{farmId}/controllers/{macid}', {
          ...at(controller),
          body: { enabled: !enabled },
        }),
    };
    if (enabled)
      ask({
        ...change,
        question: andGoOn(t('controllers.confirmShutOut', { name }), controller),
        yes: t('controllers.shutOut'),
      });
    else run(change);
  };
  const remove = (controller: Controller) =>
    ask({
      question: t('controllers.confirmRemove', { name: controller.name }),
      yes: t('controllers.remove'),
      failed,
      call: () => api.DELETE('/api/farms/{farmId}/controllers/{macid}', at(controller)),
      anyway: () => {
        const { params } = at(controller);
        return api.DELETE('/api/farms/{farmId}/controllers/{macid}', {
          params: { ...params, query: { anyway: true } },
        });
      },
    });
  const closeAccounts = () => {
    forget();
    toast('good', t('screen.controller.anyTime'), t('form.close'));
  };
  return (
    <PageLayout
      title={t('controllers.title')}
      about={t('controllers.about')}
      actions={
        writes && (
          <>
            <Button variant="default" component={Link} to="/automation/controllers/unknown">
              {t('screen.controller.unknownTitle')}
            </Button>
            <Button variant="default" component={Link} to="/automation/controllers/bench">
              {t('screen.controller.benchTitle')}
            </Button>
            <Button leftSection={<Add size={20} aria-hidden />} onClick={dialog.add}>
              {t('controllers.add')}
            </Button>
          </>
        )
      }
    >
      {!writes && <Banner tone="quiet" text={t('controllers.readOnly')} />}
      <QueryState
        query={query}
        failed={t('controllers.failed')}
        empty={t(writes ? 'controllers.noneHint' : 'controllers.none')}
        shape={<Skeleton height={240} radius="md" />}
      >
        {(controllers) =>
          controllers.length > 0 && (
            <ControllerTable
              controllers={controllers}
              tools={
                writes
                  ? {
                      busy,
                      onRenew: renew,
                      onRename: ({ id }) => dialog.edit(id),
                      onEnable: enable,
                      onRemove: remove,
                    }
                  : undefined
              }
            />
          )
        }
      </QueryState>
      {writes && <Gone farmId={farmId} />}
      <ControllerForm farmId={farmId} opened={writes && dialog.isNew} onClose={dialog.close} />
      <RenameForm
        farmId={farmId}
        opened={writes && renamed !== undefined}
        controller={renamed}
        onClose={dialog.close}
      />
      <Suspense>{accountsLoad && <AccountDialog controllers={unnoted} onClose={closeAccounts} />}</Suspense>
    </PageLayout>
  );
}
