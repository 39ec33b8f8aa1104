// How one is told of alerts: by which ways, and when only of what is critical.
import { Button, TextInput } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';
import { failureText } from '../../i18n/failure';
import { QueryState } from '../../screen/QueryState';
import { Banner } from '../../ui/Banner';
import formClasses from '../../ui/form.module.css';
import { Panel } from '../../ui/Panel';
import { Tick } from '../../ui/Tick';
import classes from './Profile.module.css';

type ToldChoice = components['schemas']['ToldChoice'];

const WAYS = ['EMAIL', 'SMS', 'WHATSAPP', 'PUSH'] as const;
const NIGHT = { from: '22:00', to: '06:00' };

const choiceQuery = queryOptions({
  queryKey: keys.toldChoice,
  queryFn: () => answer(api.GET('/auth/me/told')),
});

export function HowTold() {
  const { t } = useTranslation();
  const choice = useQuery(choiceQuery);
  return (
    <Panel title={t('profile.told.title')} hint={t('profile.told.hint')}>
      <QueryState query={choice} failed={t('profile.told.failed')}>
        {(known) => <Form known={known} />}
      </QueryState>
    </Panel>
  );
}

function Form({ known }: { known: ToldChoice }) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const [ways, setWays] = useState<readonly string[]>(known.ways ?? []);
  const [quiet, setQuiet] = useState(known.quiet);
  const save = useMutation({
    mutationFn: () =>
      answer(api.PUT('/auth/me/told', { body: { ways: ways.length > 0 ? [...ways] : null, quiet } })),
    onSuccess: (saved) => cache.setQueryData(choiceQuery.queryKey, saved),
  });
  const touch = () => {
    if (!save.isIdle) save.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form className={formClasses['form']} onSubmit={submit} noValidate>
      {save.isError && <Banner tone="bad" text={failureText(t, save.error, t('profile.told.saveFailed'))} />}
      {save.isSuccess && <Banner tone="good" text={t('profile.saved')} />}
      <fieldset className={classes['ways']}>
        <legend>{t('profile.told.ways')}</legend>
        {WAYS.map((way) => (
          <Tick
            key={way}
            checked={ways.includes(way)}
            onChange={() => {
              setWays(WAYS.filter((each) => ways.includes(each) !== (each === way)));
              touch();
            }}
          >
            {t(`profile.told.way.${way}`)}
          </Tick>
        ))}
      </fieldset>
      <Tick
        checked={quiet !== null}
        onChange={() => {
          setQuiet(quiet === null ? NIGHT : null);
          touch();
        }}
      >
        {t('profile.told.quiet')}
      </Tick>
      {quiet !== null && (
        <div className={classes['times']}>
          {(['from', 'to'] as const).map((end) => (
            <TextInput
              key={end}
              type="time"
              label={t(`profile.told.${end}`)}
              value={quiet[end]}
              onChange={(event) => {
                setQuiet({ ...quiet, [end]: event.currentTarget.value });
                touch();
              }}
            />
          ))}
        </div>
      )}
      <Button type="submit" loading={save.isPending}>
        {t('form.save')}
      </Button>
    </form>
  );
}
