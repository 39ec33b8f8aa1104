// A device of the controller, and running it for a moment to see which one it is: a pulse by hand, with all that holds for one.
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import Run from '~icon/PlayerPlay';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import { useMay } from '../../api/permissions';
import { displayStatus, useDomain } from '../../i18n/domain';
import { failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { type Device, pulseRange, refusalOf } from '../../screen/device';
import { Link } from '../../screen/Link';
import { statusLooks } from '../../screen/status';
import { Banner } from '../../ui/Banner';
import { confirm } from '../../ui/confirm';
import { StatePill } from '../../ui/StatePill';
import classes from './Found.module.css';
import { LeaseTest } from './LeaseTest';

/** Long enough to walk around the corner with the ear, short enough for any device. */
const TRY_SEC = 5;
const LOOK_MS = 1_000;

interface Props {
  farmId: string;
  device: Device;
  place: string;
  /** None for who may not name it. */
  onName: (() => void) | undefined;
}

export function TryDevice({ farmId, device, place, onName }: Props) {
  const { t } = useTranslation();
  const { count } = useFormat();
  const domain = useDomain();
  const may = useMay();
  const cache = useQueryClient();
  const send = useMutation({
    mutationFn: (seconds: number) =>
      answer(
        api.POST('/api/farms/{farmId}/commands', {
          params: { path: { farmId } },
          body: {
            cmd_type: 'pulse',
            device_id: device.id,
            action: { mode: 'manual', duration_sec: seconds },
            reason: t('controllers.tried'),
          },
        }),
      ),
    onSettled: () => cache.invalidateQueries({ queryKey: keys.devices(farmId) }),
  });
  const id = send.data?.command_id ?? '';
  const life = useQuery({
    queryKey: keys.command(farmId, id),
    queryFn: () =>
      answer(
        api.GET('/api/farms/{farmId}/commands/{commandId}', { params: { path: { farmId, commandId: id } } }),
      ),
    enabled: id !== '',
    refetchInterval: ({ state }) => (isOver(state.data?.state) ? false : LOOK_MS),
  }).data;

  const pulse = pulseRange(device);
  const seconds = pulse && Math.min(pulse.max, Math.max(pulse.min, TRY_SEC));
  const refusal = refusalOf(device, may('devices:command_freely'));
  const status = displayStatus(device);
  const tries = may('devices:command') && seconds !== undefined;
  const run = (length: number) =>
    confirm({
      question: t('controllers.confirmTry', { name: device.name, seconds: count(length) }),
      yes: t('controllers.try', { seconds: count(length) }),
      no: t('form.cancel'),
      run: () => send.mutate(length),
    });
  return (
    <li data-device={device.id}>
      <div className={classes['about']}>
        <p className={classes['name']}>{device.name}</p>
        <p className={classes['soft']}>
          {domain.device(device.type)} · {place}
        </p>
      </div>
      <StatePill
        live
        tone={statusLooks[status].tone}
        icon={statusLooks[status].icon}
        word={domain.status(status)}
      />
      {tries && (
        <Button
          leftSection={<Run size={20} aria-hidden />}
          loading={send.isPending}
          disabled={refusal !== undefined}
          aria-label={t('controllers.tryOf', { name: device.name, seconds: count(seconds) })}
          onClick={() => run(seconds)}
        >
          {t('controllers.try', { seconds: count(seconds) })}
        </Button>
      )}
      {!tries && may('devices:command') && (
        <Link to={`/automation/manual?device=${encodeURIComponent(device.id)}`}>{t('nav.manual')}</Link>
      )}
      {onName && (
        <Button
          variant="default"
          aria-label={t('controllers.nameThing', { name: device.name })}
          onClick={onName}
        >
          {t('controllers.nameIt')}
        </Button>
      )}
      {outcome()}
      <LeaseTest farmId={farmId} device={device} />
    </li>
  );

  /** What became of it. */
  function outcome() {
    if (send.error)
      return <Banner tone="bad" text={failureText(t, send.error, t('controllers.tryFailed'))} />;
    if (!send.data) return null;
    const { status: result, message } = send.data;
    const state = life?.state;
    if (result === 'failure' || state === 'failed' || state === 'timed_out')
      return (
        <Banner
          tone="bad"
          text={[t('controllers.tryFailed'), life?.message ?? message].filter(Boolean).join(' ')}
        />
      );
    if (state !== 'acked' && state !== 'confirmed')
      return <Banner tone="quiet" text={t('controllers.trying')} />;
    return (
      <Banner
        tone="good"
        text={t('controllers.triedIt', { name: device.name })}
        {...(onName && { action: { label: t('controllers.nameIt'), run: onName } })}
      />
    );
  }
}

/** Whether nothing more comes of it. */
const isOver = (state: string | undefined) =>
  state !== undefined && !['queued', 'sent', 'acked'].includes(state);
