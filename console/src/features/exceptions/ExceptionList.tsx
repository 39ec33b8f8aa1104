// Each thing that is not on automatic: who, since when and until when, and the act that gives it back.
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import GiveBack from '~icon/Robot';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import { useMay } from '../../api/permissions';
import { polyhousesQuery } from '../../api/queries';
import type { components } from '../../api/schema';
import { failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { useWhen } from '../../i18n/when';
import { Countdown } from '../../screen/Countdown';
import { Link } from '../../screen/Link';
import { Banner } from '../../ui/Banner';
import { Dialog } from '../../ui/Dialog';
import classes from './Exceptions.module.css';
import { actOf, type Exception, wayTo } from './queries';

interface Props {
  farmId: string;
  found: components['schemas']['Exceptions'];
  onClose: () => void;
}

export function ExceptionList({ farmId, found, onClose }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const may = useMay();
  const release = useRelease(farmId);
  const left = found.count - found.items.length;
  return (
    <Dialog opened onClose={onClose} title={t('exceptions.title')} closeLabel={t('form.close')}>
      <p>{t('exceptions.hint')}</p>
      {release.isError && <Banner tone="warn" text={failureText(t, release.error, t('error.network'))} />}
      {release.data?.status === 'failure' && (
        <Banner tone="warn" text={release.data.message ?? t('error.network')} />
      )}
      <ul className={classes['list']}>
        {found.items.map((exception) => (
          <li
            key={`${exception.kind} ${exception.id} ${exception.sensorType} ${exception.polyhouseId} ${exception.by}`}
            data-exception={exception.kind}
          >
            <div>
              <strong>
                <Said farmId={farmId} exception={exception} />
              </strong>
              <Details exception={exception} />
            </div>
            {exception.kind === 'override' && may('devices:command') ? (
              <Button
                variant="default"
                leftSection={<GiveBack size={20} aria-hidden />}
                aria-label={t('exceptions.backOf', { name: exception.names[0] ?? '' })}
                disabled={release.isPending}
                onClick={() => release.mutate(exception.id ?? '')}
              >
                {t('exceptions.back')}
              </Button>
            ) : (
              <Way exception={exception} onGo={onClose} />
            )}
          </li>
        ))}
      </ul>
      {left > 0 && <p>{t('exceptions.more', { count: left, value: format.count(left) })}</p>}
    </Dialog>
  );
}

/** Gives a device back to its rules. */
function useRelease(farmId: string) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (device: string) =>
      answer(
        api.POST('/api/farms/{farmId}/commands', {
          params: { path: { farmId } },
          body: { cmd_type: 'release', device_id: device, action: { mode: 'auto' }, duration_sec: 0 },
        }),
      ),
    onSettled: () =>
      Promise.all([
        cache.invalidateQueries({ queryKey: keys.exceptions(farmId) }),
        cache.invalidateQueries({ queryKey: keys.devices(farmId) }),
      ]),
  });
}

/** What is so. */
function Said({ farmId, exception }: { farmId: string; exception: Exception }) {
  const { t } = useTranslation();
  const format = useFormat();
  const houses = useQuery(polyhousesQuery(farmId)).data;
  const { kind, names, count, sensorType, polyhouseId } = exception;
  if (kind !== 'sensors_silent') return t(`exceptions.kind.${kind}`, { name: names[0] ?? '' });
  const place = houses?.find(({ id }) => id === polyhouseId)?.name ?? t('domain.place.farm');
  const quantity = sensorType ? t(`verdict.quantity.${sensorType}`) : '';
  return count > names.length
    ? t('exceptions.kind.sensors_silent_many', { place, quantity, value: format.count(count) })
    : t('exceptions.kind.sensors_silent', { place, quantity, names: format.list(names) });
}

function Details({ exception: { by, since, until, reason } }: { exception: Exception }) {
  const { t } = useTranslation();
  const when = useWhen();
  const said = [
    by,
    since !== null && t('exceptions.since', { time: when(since) }),
    until !== null && t('exceptions.until', { time: when(until) }),
    reason,
  ].filter(Boolean);
  if (said.length === 0) return null;
  return (
    <small>
      <span>{said.join(' · ')}</span>
      {until !== null && <Countdown until={until} />}
    </small>
  );
}

/** The way to where it is given back. */
function Way({ exception, onGo }: { exception: Exception; onGo: () => void }) {
  const { t } = useTranslation();
  const act = actOf[exception.kind];
  return (
    <Link to={wayTo(exception)} onClick={onGo}>
      {act === 'test_lease' ? t('exceptions.test') : t(`verdict.act.${act}`)}
    </Link>
  );
}
