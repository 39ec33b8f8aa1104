// Opening a person's stops: the question first, then what the rules want and when that starts.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useMay } from '../../api/permissions';
import { polyhousesQuery } from '../../api/queries';
import { useDomain } from '../../i18n/domain';
import { failureText } from '../../i18n/failure';
import { Banner } from '../../ui/Banner';
import { Dialog } from '../../ui/Dialog';
import { type Stop, type StopScope, useOpenStops } from './queries';
import classes from './Stop.module.css';
import { WhatFollows } from './WhatFollows';

interface Props {
  farmId: string;
  stop: Stop | undefined;
  onClose: () => void;
}

export function OpenStops({ farmId, stop, onClose }: Props) {
  const { t } = useTranslation();
  return (
    <Dialog
      opened={stop !== undefined}
      onClose={onClose}
      title={t('stop.openTitle')}
      closeLabel={t('form.close')}
    >
      {stop && <Opening farmId={farmId} stop={stop} onDone={onClose} />}
    </Dialog>
  );
}

interface Group {
  key: string;
  name: string;
  scope: StopScope;
  devices: Stop['devices'];
}

function Opening({ farmId, stop, onDone }: { farmId: string; stop: Stop; onDone: () => void }) {
  const { t } = useTranslation();
  const open = useOpenStops(farmId);
  const groups = useGroups(farmId, stop);
  if (open.data) return <WhatFollows farmId={farmId} devices={open.data} onDone={onDone} />;
  const send = (scope: StopScope) =>
    open.mutate({ scope, userId: stop.by?.user_id ?? null, nobodyAtTheMachine: true });
  return (
    <div className={classes['opening']}>
      {open.isError && <Banner tone="bad" text={failureText(t, open.error, t('control.unlockFailed'))} />}
      <p className={classes['question']}>{t('stop.nobodyThere')}</p>
      <p>{t('stop.startsAfter')}</p>
      {groups.map((group) => (
        <div key={group.key} className={classes['group']}>
          <p>
            <strong>{group.name}</strong>
            {group.devices.map((device) => device.name).join(', ')}
          </p>
          <Button
            variant={groups.length > 1 ? 'default' : 'filled'}
            disabled={open.isPending}
            onClick={() => send(group.scope)}
          >
            {t('stop.nobodyOpen')}
          </Button>
        </div>
      ))}
      {groups.length > 1 && (
        <Button size="lg" disabled={open.isPending} onClick={() => send({ type: 'farm' })}>
          {t('stop.nobodyOpenAll')}
        </Button>
      )}
    </div>
  );
}

/** By house, and each device of the farm's own by itself: who goes from house to house opens one after the other. */
function useGroups(farmId: string, stop: Stop): Group[] {
  const words = useDomain();
  // A worker is not told all zones: the devices' own labels name their places.
  const sees = useMay()('farm:read');
  const houses = useQuery({ ...polyhousesQuery(farmId), enabled: sees }).data;
  const groups = new Map<string, Group>();
  for (const device of stop.devices) {
    const polyhouseId = device.scope.polyhouseId;
    const key = polyhouseId ?? device.deviceId;
    const known = groups.get(key);
    if (known) {
      groups.set(key, { ...known, devices: [...known.devices, device] });
      continue;
    }
    groups.set(key, {
      key,
      name: words.placeNames(device.scope, houses)[0] ?? '',
      scope: polyhouseId ? { type: 'polyhouse', polyhouseId } : { type: 'device', deviceId: device.deviceId },
      devices: [device],
    });
  }
  return [...groups.values()];
}
