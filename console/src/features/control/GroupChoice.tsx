// The groups of which a device is one: each a tap, and a new one in place.
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import Add from '~icon/Plus';
import { answer, api } from '../../api/client';
import { ApiError } from '../../api/errors';
import { keys } from '../../api/keys';
import { failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { Banner } from '../../ui/Banner';
import { numberTyped } from '../../ui/wheel';
import classes from './Limits.module.css';
import { groupsQuery } from './queries';

interface Props {
  farmId: string;
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  error?: React.ReactNode;
}

export function GroupChoice({ farmId, chosen, onChange, error }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const id = useId();
  const groups = useQuery(groupsQuery(farmId)).data ?? [];
  const [adding, setAdding] = useState(false);
  const toggle = (group: string) =>
    onChange(chosen.includes(group) ? chosen.filter((one) => one !== group) : [...chosen, group]);
  return (
    <fieldset className={classes['choice']} aria-describedby={error ? id : undefined}>
      <legend>{t('limits.groups')}</legend>
      <p>{t('limits.groupsHint')}</p>
      <div className={classes['chips']}>
        {groups.map((group) => (
          <button
            key={group.id}
            type="button"
            aria-pressed={chosen.includes(group.id)}
            onClick={() => toggle(group.id)}
          >
            {t('limits.group', { name: group.name, number: format.count(group.at_most) })}
          </button>
        ))}
        {!adding && (
          <button type="button" onClick={() => setAdding(true)}>
            <Add size={18} aria-hidden /> {t('limits.newGroup')}
          </button>
        )}
      </div>
      {adding && (
        <NewGroup
          farmId={farmId}
          onMade={(made) => {
            setAdding(false);
            onChange([...chosen, made]);
          }}
          onCancel={() => setAdding(false)}
        />
      )}
      {error && (
        <p id={id} className={classes['error']} data-wrong tabIndex={-1}>
          {error}
        </p>
      )}
    </fieldset>
  );
}

interface NewGroupProps {
  farmId: string;
  onMade: (id: string) => void;
  onCancel: () => void;
}

function NewGroup({ farmId, onMade, onCancel }: NewGroupProps) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const [name, setName] = useState('');
  const [atMost, setAtMost] = useState('1');
  const making = useMutation({
    mutationFn: () =>
      answer(
        api.POST('/api/farms/{farmId}/device-groups', {
          params: { path: { farmId } },
          body: { name, at_most: numberTyped(atMost) },
        }),
      ),
    onSuccess: async ({ id }) => {
      await cache.invalidateQueries({ queryKey: keys.deviceGroups(farmId) });
      onMade(id);
    },
  });
  const { error } = making;
  const problems = error instanceof ApiError ? error.problems : [];
  const said = (field: string) => problems.find(({ path }) => path === field)?.message;
  // Inside the form of the limits: it is sent by its own button, never with them.
  const onEnter = (event: React.KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    making.mutate();
  };
  return (
    <div className={classes['newGroup']}>
      <TextInput
        label={t('limits.groupName')}
        maxLength={120}
        autoComplete="off"
        value={name}
        error={said('name')}
        onKeyDown={onEnter}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label={t('limits.atMost')}
        inputMode="numeric"
        autoComplete="off"
        value={atMost}
        error={said('at_most')}
        onKeyDown={onEnter}
        onChange={(event) => setAtMost(event.currentTarget.value)}
      />
      {error && problems.length === 0 && (
        <Banner tone="bad" text={failureText(t, error, t('limits.groupFailed'))} />
      )}
      <div className={classes['chips']}>
        <Button variant="default" onClick={onCancel}>
          {t('form.cancel')}
        </Button>
        <Button loading={making.isPending} onClick={() => making.mutate()}>
          {t('limits.addGroup')}
        </Button>
      </div>
    </div>
  );
}
