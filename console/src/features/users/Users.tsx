// Who belongs to the farm (spec 2.13).
import { ActionIcon, Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import Edit from '~icon/Pencil';
import Remove from '~icon/Trash';
import Add from '~icon/UserPlus';
import type { FarmPageProps } from '../../api/farms';
import { type FarmUser, usersQuery } from '../../api/people';
import { may } from '../../api/permissions';
import { failedLoad, failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { asLanguage, ownNames } from '../../i18n/languages';
import { useRoleName } from '../../i18n/roles';
import { Banner } from '../../ui/Banner';
import { CardCell, CardRow, CardTable } from '../../ui/CardTable';
import { Dialog } from '../../ui/Dialog';
import { StatePill } from '../../ui/StatePill';
import { useDeleteUser, useSetActive } from './queries';
import { UserForm } from './UserForm';
import classes from './Users.module.css';

export default function Users(props: FarmPageProps) {
  return may(props.role, 'users:read') ? <People {...props} /> : <Unseen />;
}

/** For those to whom the server does not say who belongs to the farm. */
function Unseen() {
  const { t } = useTranslation();
  return (
    <div className={classes['page']}>
      <div className={classes['head']}>
        <h1>{t('users.title')}</h1>
      </div>
      <Banner tone="quiet" text={t('users.unseen')} />
    </div>
  );
}

function People({ farmId, role, writes: manages }: FarmPageProps) {
  const { t } = useTranslation();
  const [search, setSearch] = useSearchParams();
  const users = useQuery(usersQuery(farmId));
  const setActive = useSetActive(farmId);
  const remove = useDeleteUser(farmId);
  // The dashboard's quick action comes here with ?new.
  const [form, setForm] = useState<{ open: boolean; user?: FarmUser }>({
    open: manages && search.has('new'),
  });
  const close = () => {
    setForm((before) => ({ ...before, open: false }));
    if (search.has('new')) setSearch({}, { replace: true });
  };
  const trouble = setActive.isError
    ? failureText(t, setActive.error, t('error.saveUser'))
    : remove.isError
      ? failureText(t, remove.error, t('error.deleteUser'))
      : undefined;

  return (
    <div className={classes['page']}>
      <div className={classes['head']}>
        <h1>{t('users.title')}</h1>
        {manages && (
          <Button leftSection={<Add size={20} aria-hidden />} onClick={() => setForm({ open: true })}>
            {t('users.add')}
          </Button>
        )}
      </div>
      {!manages && <Banner tone="quiet" text={t('users.readOnly')} />}
      {trouble && <Banner tone="bad" text={trouble} />}
      {users.isError && <Banner {...failedLoad(t, users, t('error.fetchUsers'))} />}
      {users.isPending && <Skeleton height={240} radius="md" aria-hidden />}
      {users.data && (
        <Table
          people={users.data}
          busy={setActive.isPending || remove.isPending}
          onToggle={(user) => {
            remove.reset();
            setActive.mutate({ id: user.id, isActive: !user.isActive });
          }}
          onEdit={(user) => setForm({ open: true, user })}
          onDelete={(user) => {
            setActive.reset();
            if (window.confirm(t('users.confirmDelete'))) remove.mutate(user.id);
          }}
        />
      )}
      <Dialog
        opened={form.open}
        onClose={close}
        title={t(form.user ? 'users.edit' : 'users.add')}
        closeLabel={t('form.close')}
      >
        <UserForm farmId={farmId} user={form.user} mine={role} onDone={close} />
      </Dialog>
    </div>
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
  const owner = user.role === 'OWNER';
  const pill = (
    <StatePill
      tone={user.isActive ? 'good' : 'quiet'}
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
        <ActionIcon
          variant="subtle"
          color="var(--h-ink)"
          size="3rem"
          aria-label={t('users.editOf', { name })}
          title={t('users.editOf', { name })}
          disabled={!user.canManage}
          onClick={() => onEdit(user)}
        >
          <Edit size={22} aria-hidden />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="var(--h-bad)"
          size="3rem"
          aria-label={t('users.deleteOf', { name })}
          title={t(owner ? 'users.ownerStays' : 'users.deleteOf', { name })}
          disabled={owner || !user.canManage || busy}
          onClick={() => onDelete(user)}
        >
          <Remove size={22} aria-hidden />
        </ActionIcon>
      </CardCell>
    </CardRow>
  );
}
