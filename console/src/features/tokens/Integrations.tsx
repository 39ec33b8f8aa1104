// The farm's accounts that read by MQTT: how each is, one more, another name, a new password, blocking and removing one.
import { ActionIcon, Button, Skeleton, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import Block from '~icon/Ban';
import Unblock from '~icon/PlayerPlay';
import Add from '~icon/Plus';
import { api } from '../../api/client';
import type { components } from '../../api/schema';
import { useWhen } from '../../i18n/when';
import { EditDelete } from '../../screen/EditDelete';
import { FormDialog } from '../../screen/FormDialog';
import { QueryState } from '../../screen/QueryState';
import { useAction } from '../../screen/useAction';
import { useDialog } from '../../screen/useDialog';
import { Banner } from '../../ui/Banner';
import { CardCell, CardRow, CardTable } from '../../ui/CardTable';
import { Empty } from '../../ui/Empty';
import { Panel } from '../../ui/Panel';
import { StatePill } from '../../ui/StatePill';
import { type Integration, integrationsQuery, type Shown } from './queries';
import classes from './Tokens.module.css';

interface Props {
  farmId: string;
  onMade: (shown: Shown) => void;
}

const URL = '/api/farms/{farmId}/integrations/{integrationId}';

export function Integrations({ farmId, onMade }: Props) {
  const { t } = useTranslation();
  const query = useQuery(integrationsQuery(farmId));
  const { run, ask, busy } = useAction(farmId);
  const dialog = useDialog('integration');
  const edited = query.data?.integrations.find(({ id }) => id === dialog.editId);
  const failed = t('tokens.saveFailed');
  const at = ({ id }: { id: string }) => ({ params: { path: { farmId, integrationId: id } } });
  const show = ({ integration, mqtt }: components['schemas']['NewIntegration']) =>
    onMade({
      name: integration.name,
      lines: [
        { what: t('setup.broker'), text: mqtt.address },
        { what: t('setup.mqttUser'), text: mqtt.username },
        { what: t('setup.mqttPassword'), text: mqtt.password },
        { what: t('setup.topic'), text: mqtt.topic },
      ],
    });
  const tools: Tools = {
    busy,
    onRename: ({ id }) => dialog.edit(id),
    onRenew: (integration) =>
      ask({
        question: t('tokens.confirmRenew', { name: integration.name }),
        yes: t('tokens.renew'),
        failed,
        call: async () => {
          const made = await api.POST(`${URL}/secret`, at(integration));
          if (made.data) show(made.data);
          return made;
        },
      }),
    onEnable: (integration) => {
      const { name, enabled } = integration;
      const change = {
        failed,
        call: () => api.PATCH(URL, { ...at(integration), body: { enabled: !enabled } }),
      };
      if (enabled) ask({ ...change, question: t('tokens.confirmBlock', { name }), yes: t('tokens.block') });
      else run(change);
    },
    onRemove: (integration) =>
      ask({
        question: t('tokens.confirmRemove', { name: integration.name }),
        failed,
        call: () => api.DELETE(URL, at(integration)),
      }),
  };
  return (
    <Panel
      title={t('tokens.integrations')}
      hint={t('tokens.integrationsHint')}
      action={
        <Button leftSection={<Add size={20} aria-hidden />} onClick={dialog.add}>
          {t('tokens.addIntegration')}
        </Button>
      }
    >
      <QueryState
        query={query}
        failed={t('tokens.integrationsFailed')}
        shape={<Skeleton height={120} radius="md" />}
      >
        {({ integrations, endpoint }) => (
          <>
            {!endpoint && <Banner tone="warn" text={t('tokens.broker')} />}
            {integrations.length === 0 ? (
              <Empty>{t('tokens.noIntegrations')}</Empty>
            ) : (
              <IntegrationTable integrations={integrations} tools={tools} />
            )}
          </>
        )}
      </QueryState>
      <FormDialog
        farmId={farmId}
        opened={dialog.isNew || edited !== undefined}
        onClose={dialog.close}
        title={edited ? t('screen.editOf', { name: edited.name }) : t('tokens.addIntegration')}
        failed={failed}
        known={edited}
        values={(known: Integration | undefined) => ({ name: known?.name ?? '' })}
        check={({ name }) => ({ name: name.trim() === '' && t('tokens.nameRequired') })}
        save={async ({ name }, known, headers) => {
          const body = { name: name.trim() };
          if (known) return api.PATCH(URL, { ...at(known), body });
          const path = { params: { path: { farmId } } };
          const made = await api.POST('/api/farms/{farmId}/integrations', { ...path, headers, body });
          if (made.data) show(made.data);
          return made;
        }}
      >
        {(form) => (
          <TextInput
            label={t('tokens.for')}
            description={t('tokens.forHint')}
            name="name"
            required
            maxLength={80}
            autoComplete="off"
            {...form.getInputProps('name')}
          />
        )}
      </FormDialog>
    </Panel>
  );
}

interface Tools {
  busy: boolean;
  onRename: (integration: Integration) => void;
  onRenew: (integration: Integration) => void;
  onEnable: (integration: Integration) => void;
  onRemove: (integration: Integration) => void;
}

function IntegrationTable({ integrations, tools }: { integrations: readonly Integration[]; tools: Tools }) {
  const { t } = useTranslation();
  const columns = [t('form.name'), t('controllers.state'), t('tokens.lastConnected'), t('users.actions')];
  return (
    <CardTable className={classes['table']} columns={columns}>
      {integrations.map((integration) => (
        <Row key={integration.id} integration={integration} tools={tools} />
      ))}
    </CardTable>
  );
}

function Row({ integration, tools }: { integration: Integration; tools: Tools }) {
  const { t } = useTranslation();
  const when = useWhen();
  const { id, name, enabled, lastConnectedAt } = integration;
  const { busy, onRename, onRenew, onEnable, onRemove } = tools;
  const block = t(enabled ? 'controllers.shutOutOf' : 'controllers.letInOf', { name });
  return (
    <CardRow data-integration={id}>
      <CardCell lead className={classes['what']}>
        <span>{name}</span>
        <code>{id}</code>
      </CardCell>
      <CardCell label={t('controllers.state')}>
        {enabled ? (
          <StatePill tone="good" word={t('tokens.mayConnect')} />
        ) : (
          <StatePill tone="bad" word={t('controllers.blocked')} />
        )}
      </CardCell>
      <CardCell label={t('tokens.lastConnected')}>
        {lastConnectedAt === null ? t('tokens.never') : when(lastConnectedAt)}
      </CardCell>
      <CardCell className={classes['actions']}>
        <Button
          variant="default"
          disabled={busy}
          aria-label={t('controllers.newPasswordOf', { name })}
          onClick={() => onRenew(integration)}
        >
          {t('controllers.newPassword')}
        </Button>
        <ActionIcon
          variant="subtle"
          color="var(--h-ink)"
          size="3rem"
          aria-label={block}
          title={block}
          disabled={busy}
          onClick={() => onEnable(integration)}
        >
          {enabled ? <Block size={22} aria-hidden /> : <Unblock size={22} aria-hidden />}
        </ActionIcon>
        <EditDelete
          name={name}
          editable={!busy}
          onEdit={() => onRename(integration)}
          deletable={!busy}
          onDelete={() => onRemove(integration)}
        />
      </CardCell>
    </CardRow>
  );
}
