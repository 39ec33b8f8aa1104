// The bench: a message of somebody's device, pasted or picked from what nobody understood, and at once what it becomes by a profile.
import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { answer, api, ifMatch } from '../../api/client';
import { deadLettersQuery, deviceProfilesQuery, shippedProfilesQuery } from '../../api/device-profiles';
import type { FarmPageProps } from '../../api/farms';
import { keys } from '../../api/keys';
import { useDomain } from '../../i18n/domain';
import { failureText } from '../../i18n/failure';
import { Banner } from '../../ui/Banner';
import { PageLayout } from '../../ui/PageLayout';
import { Panel } from '../../ui/Panel';
import { BenchResult } from './BenchResult';

/** In place of a profile: those that the farm has are asked. */
const ALL = '';

export default function Bench({ farmId, writes }: FarmPageProps) {
  const { t } = useTranslation();
  const domain = useDomain();
  const cache = useQueryClient();
  const letters = useQuery(deadLettersQuery(farmId)).data ?? [];
  const own = useQuery(deviceProfilesQuery(farmId)).data ?? [];
  const shipped = useQuery(shippedProfilesQuery).data ?? [];
  const [topic, setTopic] = useState('');
  const [payload, setPayload] = useState('');
  const [chosen, setChosen] = useState(ALL);
  const [document, setDocument] = useState('');
  // In front of the topic stands who sent it.
  const unknown = letters
    .filter(({ reason }) => reason === 'no_profile' || reason === 'nothing_read')
    .map((letter) => ({ ...letter, topic: letter.topic.split(' -> ').at(-1) ?? letter.topic }));
  const mine = own.find(({ id }) => id === chosen);
  const path = { farmId };

  const trial = useMutation({
    mutationFn: () =>
      answer(
        api.POST('/api/farms/{farmId}/device-profiles/try', {
          params: { path },
          body: { topic, payload, document: document.trim() === '' ? null : document },
        }),
      ),
  });
  const save = useMutation({
    mutationFn: () =>
      mine
        ? answer(
            api.PUT('/api/farms/{farmId}/device-profiles/{profileId}', {
              params: { path: { farmId, profileId: mine.id }, header: ifMatch(mine) },
              body: { document },
            }),
          )
        : answer(api.POST('/api/farms/{farmId}/device-profiles', { params: { path }, body: { document } })),
    onSuccess: ({ id }) => {
      setChosen(id);
      return cache.invalidateQueries({ queryKey: keys.controllers(farmId) });
    },
  });
  const choose = (id: string) => {
    setChosen(id);
    const found = own.find((each) => each.id === id) ?? shipped.find((each) => each.id === id);
    setDocument(found?.document ?? '');
  };
  const pick = (at: string) => {
    const letter = unknown[Number(at)];
    if (!letter) return;
    setTopic(letter.topic);
    setPayload(letter.payload);
  };
  const error = trial.error ?? save.error;
  return (
    <PageLayout title={t('controllers.bench.title')} about={t('controllers.bench.about')}>
      <Panel title={t('controllers.bench.message')}>
        {unknown.length > 0 && (
          <NativeSelect
            label={t('controllers.bench.unknown', { count: unknown.length })}
            value=""
            onChange={({ currentTarget }) => pick(currentTarget.value)}
            data={[
              { value: '', label: t('controllers.bench.pick') },
              ...unknown.map((letter, at) => ({ value: String(at), label: letter.topic })),
            ]}
          />
        )}
        <TextInput
          label={t('controllers.bench.topic')}
          maxLength={256}
          value={topic}
          onChange={({ currentTarget }) => setTopic(currentTarget.value)}
        />
        <Textarea
          label={t('controllers.bench.payload')}
          rows={5}
          resize="vertical"
          value={payload}
          onChange={({ currentTarget }) => setPayload(currentTarget.value)}
        />
      </Panel>
      <Panel title={t('controllers.bench.profile')}>
        <NativeSelect
          label={t('controllers.bench.choose')}
          value={chosen}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
          data={[
            { value: ALL, label: t('controllers.bench.all') },
            ...own.map(({ id, name }) => ({ value: id, label: t('controllers.bench.own', { name }) })),
            ...shipped.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        <Textarea
          label={t('controllers.bench.document')}
          description={t('controllers.bench.documentHint')}
          rows={10}
          resize="vertical"
          value={document}
          onChange={({ currentTarget }) => setDocument(currentTarget.value)}
        />
      </Panel>
      {error && <Banner tone="bad" text={failureText(t, error, t('controllers.bench.failed'))} />}
      <div>
        <Button disabled={topic === ''} loading={trial.isPending} onClick={() => trial.mutate()}>
          {t('controllers.bench.try')}
        </Button>
        {writes && (
          <Button
            variant="default"
            disabled={document.trim() === ''}
            loading={save.isPending}
            onClick={() => save.mutate()}
          >
            {t('controllers.bench.save')}
          </Button>
        )}
      </div>
      {trial.data && <BenchResult result={trial.data} domain={domain} />}
    </PageLayout>
  );
}
