// Whether a device of another system goes off by itself: the test of that, begun by who is there, and how it goes.
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import { useMay } from '../../api/permissions';
import type { components } from '../../api/schema';
import { failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { type Device, leaseLock } from '../../screen/device';
import { Banner } from '../../ui/Banner';
import { confirm } from '../../ui/confirm';

type Test = components['schemas']['LeaseTest'];

const LOOK_MS = 1_000;

interface Props {
  farmId: string;
  device: Device;
}

/** The button and what came of it; nothing for a device that nobody has to test. */
export function LeaseTest({ farmId, device }: Props) {
  const { t } = useTranslation();
  const { count } = useFormat();
  const may = useMay();
  const cache = useQueryClient();
  const path = { farmId, deviceId: device.id };
  const start = useMutation({
    mutationFn: () =>
      answer(
        api.POST('/api/farms/{farmId}/devices/{deviceId}/lease-test', {
          params: { path },
          body: { nobodyAtTheMachine: true },
        }),
      ),
  });
  const asked = start.data !== undefined;
  const now = useQuery({
    queryKey: keys.leaseTest(farmId, device.id, start.data?.startedAt ?? 0),
    queryFn: async () => {
      const test = await answer(
        api.GET('/api/farms/{farmId}/devices/{deviceId}/lease-test', { params: { path } }),
      );
      if (isOver(test)) await cache.invalidateQueries({ queryKey: keys.devices(farmId) });
      return test;
    },
    enabled: asked,
    refetchInterval: ({ state }) => (isOver(state.data) ? false : LOOK_MS),
  }).data;
  const test = now ?? start.data;
  const lock = device.state.locks.map(leaseLock).find((reason) => reason !== undefined);
  if (lock === undefined && !asked) return null;
  const runs = asked && !isOver(test);
  const run = () =>
    confirm({
      question: t('controllers.lease.confirm', { name: device.name }),
      yes: t('controllers.lease.yes'),
      no: t('form.cancel'),
      run: () => start.mutate(),
    });
  return (
    <>
      {lock === 'no_lease' && <Banner tone="warn" text={t('controllers.lease.none')} />}
      {lock === 'lease_unproven' && !asked && <Banner tone="warn" text={t('controllers.lease.unproven')} />}
      {start.error && <Banner tone="bad" text={failureText(t, start.error, t('controllers.lease.failed'))} />}
      {test && outcome(test)}
      {lock === 'lease_unproven' && may('assets:write') && (
        <Button
          loading={start.isPending || runs}
          disabled={!device.online}
          aria-label={t('controllers.lease.testOf', { name: device.name })}
          onClick={run}
        >
          {t('controllers.lease.test')}
        </Button>
      )}
    </>
  );

  function outcome({ state, failure, seconds }: Test) {
    if (state === 'failed')
      return <Banner tone="bad" text={t(`controllers.lease.failure.${failure ?? 'server'}`)} />;
    const text = t(`controllers.lease.state.${state}`, { name: device.name, seconds: count(seconds) });
    return <Banner tone={state === 'proven' ? 'good' : 'quiet'} text={text} />;
  }
}

const isOver = (test: Test | undefined) => test?.state === 'proven' || test?.state === 'failed';
