// Who belongs to the farm (spec 2.13).
import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import Send from '~icon/Send';
import Add from '~icon/UserPlus';
import { api, ifMatch } from '../../api/client';
import type { Farm, FarmPageProps } from '../../api/farms';
import { type FarmUser, type Invite, invitesQuery, usersQuery } from '../../api/people';
import { may } from '../../api/permissions';
import { useFormat } from '../../i18n/format';
import { asLanguage, ownNames } from '../../i18n/languages';
import { useRoleName } from '../../i18n/roles';
import { EditDelete } from '../../screen/EditDelete';
import { InviteList } from '../../screen/invitations/InviteList';
import { useInvite } from '../../screen/invitations/useInvite';
import { QueryState } from '../../screen/QueryState';
import { useAction } from '../../screen/useAction';
import { useDialog } from '../../screen/useDialog';
import { Banner } from '../../ui/Banner';
import { CardCell, CardRow, CardTable } from '../../ui/CardTable';
import { Dialog } from '../../ui/Dialog';
import { PageLayout } from '../../ui/PageLayout';
import { Panel } from '../../ui/Panel';
import { StatePill } from '../../ui/StatePill';
import { UserForm } from './UserForm';
import classes from './Users.module.css';

const InviteForm = lazy(async () => ({
  default: (await import('../../screen/invitations/InviteForm')).InviteForm,
}));

export default function Users(props: FarmPageProps) {
  return may(props.farm, 'users:read') ? <People {...props} /> : <Unseen />;
}

/** For those to whom the server does not say who belongs to the farm. */
function Unseen() {
  const { t } = useTranslation();
  return (
    <PageLayout title={t('users.title')}>
      <Banner tone="quiet" text={t('users.unseen')} />
    </PageLayout>
  );
}

function People({ farm, farmId, writes }: FarmPageProps) {
  const { t } = useTranslation();
  const users = useQuery(usersQuery(farmId));
  const { run, ask, busy } = useAction(farmId);
  const dialog = useDialog();
  const invite = useDialog('invite');
  const inviting = useInvite(farmId);
  const invites = may(farm, 'invites:write');
  const edited = users.data?.find(({ id }) => id === dialog.editId);
  const at = ({ id }: FarmUser) => ({ params: { path: { farmId, userId: id } } });
  return (
    <PageLayout
      title={t('users.title')}
      actions={
        <>
          {invites && (
            <Button
              leftSection={<Send size={20} aria-hidden />}
              onClick={() => {
                inviting.reset();
                invite.add();
              }}
            >
              {t('invitations.invite')}
            </Button>
          )}
          {writes && (
            <Button variant="default" leftSection={<Add size={20} aria-hidden />} onClick={dialog.add}>
              {t('users.add')}
            </Button>
          )}
        </>
      }
    >
      {!writes && <Banner tone="quiet" text={t('users.readOnly')} />}
      <QueryState query={users} failed={t('error.fetchUsers')} shape={<Skeleton height={240} radius="md" />}>
        {(people) => (
          <Table
            people={people}
            busy={busy}
            onToggle={(user) =>
              run({
                failed: t('error.saveUser'),
                call: () =>
                  user.isActive
                    ? api.POST('/api/farms/{farmId}/users/{userId}/deactivate', at(user))
                    : api.POST('/api/farms/{farmId}/users/{userId}/activate', at(user)),
              })
            }
            onEdit={({ id }) => dialog.edit(id)}
            onDelete={(user) =>
              ask({
                question: t('users.confirmDelete'),
                failed: t('error.deleteUser'),
                call: () =>
                  api.DELETE('/api/farms/{farmId}/users/{userId}', { ...at(user), headers: ifMatch(user) }),
              })
            }
          />
        )}
      </QueryState>
      <UserForm
        farmId={farmId}
        opened={writes && (dialog.isNew || edited !== undefined)}
        user={edited}
        roles={farm.manages}
        gives={farm.gives}
        onClose={dialog.close}
      />
      {invites && (
        <>
          <Invitations
            farm={farm}
            onAgain={({ contact, role, languagePref }) => {
              inviting.mutate({ contact, role, languagePref });
              invite.add();
            }}
          />
          <Dialog
            opened={invite.isNew}
            onClose={invite.close}
            title={t('invitations.invite')}
            closeLabel={t('form.close')}
          >
            <Suspense fallback={<Skeleton height={240} radius="md" />}>
              <InviteForm ready inviting={inviting} roles={farm.manages} />
            </Suspense>
          </Dialog>
        </>
      )}
    </PageLayout>
  );
}

interface InvitationsProps {
  farm: Farm;
  onAgain: (invite: Invite) => void;
}

function Invitations({ farm, onAgain }: InvitationsProps) {
  const { t } = useTranslation();
  const query = useQuery(invitesQuery(farm.id));
  return (
    <Panel title={t('invitations.title')} hint={t('invitations.hint')}>
      <QueryState query={query} failed={t('error.fetchInvites')} shape={<Skeleton height={64} radius="md" />}>
        {(invites) => (
          <InviteList farmId={farm.id} invites={invites} roles={farm.manages} onAgain={onAgain} />
        )}
      </QueryState>
    </Panel>
  );
}

interface TableProps {
  people: readonly FarmUser[];
  busy: boolean;
  onToggle: (user: FarmUser) => void;
  onEdit: (user: FarmUser) => void;
  onDelete: (user: FarmUser) => void;
}

function Table({ people, ...row }: TableProps) {
  const { t } = useTranslation();
  const columns = [
    t('users.user'),
    t('form.role'),
    t('users.contact'),
    t('form.language'),
    t('users.status'),
    t('users.created'),
    t('users.actions'),
  ];
  return (
    <CardTable className={classes['table']} columns={columns}>
      {people.map((user) => (
        <Row key={user.id} user={user} {...row} />
      ))}
    </CardTable>
  );
}

function Row({ user, busy, onToggle, onEdit, onDelete }: Omit<TableProps, 'people'> & { user: FarmUser }) {
  const { t } = useTranslation();
  const roleName = useRoleName();
  const format = useFormat();
  const { name } = user;
  const language = asLanguage(user.languagePref);
  const pill = (
    <StatePill
      tone={user.isActive ? 'active' : 'quiet'}
      word={t(user.isActive ? 'users.active' : 'users.inactive')}
    />
  );
  return (
    <CardRow>
      <CardCell className={classes['who']}>
        <span>{name}</span>
        <span>{user.email}</span>
      </CardCell>
      <CardCell label={t('form.role')}>{roleName(user.role)}</CardCell>
      <CardCell label={t('users.contact')}>{user.phone ?? t('users.notAvailable')}</CardCell>
      <CardCell label={t('form.language')}>{language ? ownNames[language] : user.languagePref}</CardCell>
      <CardCell label={t('users.status')}>
        {user.canManage ? (
          <button
            type="button"
            className={classes['pill']}
            aria-label={t(user.isActive ? 'users.deactivate' : 'users.activate', { name })}
            disabled={busy}
            onClick={() => onToggle(user)}
          >
            {pill}
          </button>
        ) : (
          pill
        )}
      </CardCell>
      <CardCell label={t('users.created')}>{format.shortDate(new Date(user.createdAt))}</CardCell>
      <CardCell className={classes['actions']}>
        <EditDelete
          name={name}
          editable={user.canManage}
          onEdit={() => onEdit(user)}
          deletable={user.canRemove && !busy}
          {...(user.canManage && !user.canRemove && { stays: t('users.ownerStays') })}
          onDelete={() => onDelete(user)}
        />
      </CardCell>
    </CardRow>
  );
}
