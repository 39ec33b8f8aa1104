// Groups of machines of which so many run at a time, and who is in each.
import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import Add from '~icon/Plus';
import { api, ifMatch } from '../../api/client';
import type { FarmPageProps } from '../../api/farms';
import { devicesQuery } from '../../api/queries';
import type { components } from '../../api/schema';
import { useFormat } from '../../i18n/format';
import { useVerdictWords } from '../../i18n/verdict';
import { EditDelete } from '../../screen/EditDelete';
import { FormDialog } from '../../screen/FormDialog';
import { Link } from '../../screen/Link';
import { QueryState } from '../../screen/QueryState';
import { useDialog } from '../../screen/useDialog';
import { useRemoval } from '../../screen/useRemoval';
import { AsOf } from '../../ui/AsOf';
import { Banner } from '../../ui/Banner';
import { CardList } from '../../ui/CardList';
import { PageLayout } from '../../ui/PageLayout';
import { numberTyped } from '../../ui/wheel';
import { HoursFields } from './HoursFields';
import { hoursBody, hoursMissing, hoursValues } from './hours';
import classes from './Limits.module.css';
import { groupsQuery } from './queries';

type Group = components['schemas']['DeviceGroup'];

/** How many run now is asked again as often: no message says it. */
const RELOAD_MS = 10_000;

export default function Groups({ farmId, writes }: FarmPageProps) {
  const { t } = useTranslation();
  const query = useQuery({ ...groupsQuery(farmId), refetchInterval: RELOAD_MS });
  const { asOf } = useVerdictWords();
  const dialog = useDialog();
  const removal = useRemoval(farmId, t('limits.ofGroups.deleteFailed'));
  const remove = (group: Group) =>
    removal.ask({
      question: t('limits.ofGroups.confirmDelete', { name: group.name }),
      call: () =>
        api.DELETE('/api/farms/{farmId}/device-groups/{groupId}', {
          params: { path: { farmId, groupId: group.id } },
          headers: ifMatch(group),
        }),
    });
  const edited = query.data?.find(({ id }) => id === dialog.editId);
  return (
    <PageLayout
      title={t('limits.ofGroups.title')}
      about={t('limits.ofGroups.about')}
      busy={query.isPending}
      actions={
        <>
          <Button component={Link} to="/automation/manual" variant="default">
            {t('limits.ofGroups.toManual')}
          </Button>
          {writes && (
            <Button leftSection={<Add size={20} aria-hidden />} onClick={dialog.add}>
              {t('limits.ofGroups.add')}
            </Button>
          )}
        </>
      }
    >
      {removal.problem && <Banner tone="bad" text={removal.problem} />}
      <QueryState
        query={query}
        failed={t('limits.ofGroups.failed')}
        empty={t(writes ? 'limits.ofGroups.noneHint' : 'limits.ofGroups.none')}
      >
        {(groups) => (
          <AsOf value={asOf(query)}>
            <CardList>
              {groups.map((group) => (
                <Card
                  key={group.id}
                  group={group}
                  writes={writes}
                  onEdit={() => dialog.edit(group.id)}
                  onDelete={() => remove(group)}
                />
              ))}
            </CardList>
          </AsOf>
        )}
      </QueryState>
      <GroupForm
        farmId={farmId}
        opened={writes && (dialog.isNew || edited !== undefined)}
        group={edited}
        onClose={dialog.close}
      />
    </PageLayout>
  );
}

interface CardProps {
  group: Group;
  writes: boolean;
  onEdit: () => void;
  onDelete: () => void;
}

function Card({ group, writes, onEdit, onDelete }: CardProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { id, name, at_most, running, members } = group;
  const most = format.count(at_most);
  return (
    <li className={classes['group']} data-group={id}>
      <div className={classes['title']}>
        <h2>{name}</h2>
        {writes && <EditDelete name={name} onEdit={onEdit} onDelete={onDelete} />}
      </div>
      <p className={classes['said']}>{t('limits.ofGroups.atMost', { number: most })}</p>
      {group.hours && <p>{t('limits.hours.label')}</p>}
      {members.length === 0 ? (
        <p className={classes['hint']}>{t('limits.ofGroups.noMembers')}</p>
      ) : (
        <>
          <p>{t('limits.ofGroups.running', { running: format.count(running), most })}</p>
          <nav className={classes['members']} aria-label={t('limits.ofGroups.members', { name })}>
            {members.map((member) => (
              <Link key={member.id} to={`/automation/manual?device=${encodeURIComponent(member.id)}`}>
                {member.name}
              </Link>
            ))}
          </nav>
        </>
      )}
    </li>
  );
}

interface FormProps {
  farmId: string;
  opened: boolean;
  onClose: () => void;
  group: Group | undefined;
}

function GroupForm({ farmId, group, ...dialog }: FormProps) {
  const { t } = useTranslation();
  const devices = useQuery({ ...devicesQuery(farmId), enabled: dialog.opened }).data ?? [];
  const hoursProblems = ({ numbers, choices, times }: ReturnType<typeof hoursMissing>) =>
    Object.fromEntries([
      ...numbers.map((path) => [`hours.${path}`, t('limits.numberNeeded')]),
      ...choices.map((path) => [`hours.${path}`, t('limits.hours.needed')]),
      ...times.map((path) => [`hours.${path}`, t('limits.hours.timesNeeded')]),
    ]);
  return (
    <FormDialog
      {...dialog}
      farmId={farmId}
      title={t(group ? 'limits.ofGroups.edit' : 'limits.ofGroups.add')}
      failed={t('limits.ofGroups.saveFailed')}
      known={group}
      values={(known) => ({
        name: known?.name ?? '',
        at_most: String(known?.at_most ?? 1),
        hours: hoursValues(known?.hours),
      })}
      check={({ name, at_most, hours }) => ({
        ...hoursProblems(hoursMissing(hours)),
        name: name.trim() === '' && t('limits.ofGroups.nameNeeded'),
        at_most: !(numberTyped(at_most) > 0) && t('limits.numberNeeded'),
      })}
      save={({ name, at_most, hours }, known, headers) => {
        const body = { name: name.trim(), at_most: numberTyped(at_most), hours: hoursBody(hours) };
        return known
          ? api.PUT('/api/farms/{farmId}/device-groups/{groupId}', {
              params: { path: { farmId, groupId: known.id } },
              headers,
              body,
            })
          : api.POST('/api/farms/{farmId}/device-groups', { params: { path: { farmId } }, headers, body });
      }}
    >
      {(form) => (
        <>
          <TextInput
            label={t('limits.groupName')}
            name="name"
            required
            data-autofocus
            maxLength={120}
            autoComplete="off"
            {...form.getInputProps('name')}
          />
          <TextInput
            label={t('limits.atMost')}
            name="at_most"
            inputMode="numeric"
            autoComplete="off"
            {...form.getInputProps('at_most')}
          />
          <HoursFields
            values={form.values.hours}
            onChange={(hours) => form.setFieldValue('hours', hours)}
            errors={form.errors}
            path="hours"
            devices={devices.filter(({ id }) => !group?.members.some((member) => member.id === id))}
          />
        </>
      )}
    </FormDialog>
  );
}
