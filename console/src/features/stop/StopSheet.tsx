// What is to stop: the device on screen, a house, the farm; and then, in the same place, what became of it.
import { Button, Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router';
import HouseIcon from '~icon/BuildingWarehouse';
import DeviceIcon from '~icon/Engine';
import Everything from '~icon/World';
import Close from '~icon/X';
import { keys } from '../../api/keys';
import { dismissStop, type StopScope, stop, useStopOrders } from '../../api/stop';
import type { Device } from './queries';
import classes from './Stop.module.css';
import { StopProgress } from './StopProgress';

/** How the choice was opened: who only pressed is asked once more. */
export type Opened = 'held' | 'pressed';

interface House {
  id: string;
  name: string;
}

interface Props {
  farmId: string;
  houses: readonly House[];
  opened: Opened | undefined;
  onClose: () => void;
}

export function StopSheet({ farmId, houses, opened, onClose }: Props) {
  const { t } = useTranslation();
  const [id, setId] = useState<string>();
  const order = useStopOrders(farmId).find((one) => one.id === id);
  const close = () => {
    if (id) dismissStop(id);
    setId(undefined);
    onClose();
  };
  return (
    <Modal.Root
      opened={opened !== undefined}
      onClose={close}
      zIndex={500}
      size="32rem"
      yOffset="0"
      transitionProps={{ duration: 0 }}
      classNames={{ inner: classes['inner'] ?? '', content: classes['sheet'] ?? '' }}
    >
      <Modal.Overlay />
      <Modal.Content>
        <div className={classes['head']}>
          {/* The focus begins here: a key that is still held down presses nothing. */}
          <Modal.Title className={classes['title'] ?? ''} data-autofocus tabIndex={-1}>
            {t(order ? 'stop.progress' : 'stop.choose')}
          </Modal.Title>
          <button type="button" className={classes['close']} aria-label={t('form.close')} onClick={close}>
            <Close size={26} aria-hidden />
          </button>
        </div>
        <Modal.Body className={classes['body'] ?? ''}>
          {order ? (
            <StopProgress order={order} />
          ) : (
            <Choice
              farmId={farmId}
              houses={houses}
              ask={opened === 'pressed'}
              onChosen={(scope, name) => setId(stop(farmId, scope, name))}
            />
          )}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

interface Target {
  scope: StopScope;
  name: string | undefined;
}

interface ChoiceProps {
  farmId: string;
  houses: readonly House[];
  /** Whether to ask once more. */
  ask: boolean;
  onChosen: (scope: StopScope, name: string | undefined) => void;
}

function Choice({ farmId, houses, ask, onChosen }: ChoiceProps) {
  const { t } = useTranslation();
  const device = useThisDevice(farmId);
  const [asked, setAsked] = useState<Target>();
  const choose = (target: Target) => (ask ? setAsked(target) : onChosen(target.scope, target.name));
  if (asked) {
    return (
      <div className={classes['choices']}>
        <p>{t('stop.hint')}</p>
        <button
          type="button"
          className={classes['choice']}
          data-all
          onClick={() => onChosen(asked.scope, asked.name)}
        >
          {asked.name ? t('stop.now', { name: asked.name }) : t('stop.nowFarm')}
        </button>
        <Button variant="default" size="lg" onClick={() => setAsked(undefined)}>
          {t('stop.other')}
        </Button>
      </div>
    );
  }
  return (
    <div className={classes['choices']}>
      <p>{t('stop.hint')}</p>
      {device && (
        <button
          type="button"
          className={classes['choice']}
          data-stop-scope="device"
          onClick={() =>
            choose({ scope: { type: 'device', deviceId: device.id }, name: device.name ?? device.id })
          }
        >
          <DeviceIcon size={24} aria-hidden />
          <span>
            <small>{t('stop.thisDevice')}</small>
            {device.name ?? device.id}
          </span>
        </button>
      )}
      {houses.map((house) => (
        <button
          key={house.id}
          type="button"
          className={classes['choice']}
          data-stop-scope="polyhouse"
          onClick={() => choose({ scope: { type: 'polyhouse', polyhouseId: house.id }, name: house.name })}
        >
          <HouseIcon size={24} aria-hidden />
          <span>{house.name}</span>
        </button>
      ))}
      <button
        type="button"
        className={classes['choice']}
        data-stop-scope="farm"
        data-all
        onClick={() => choose({ scope: { type: 'farm' }, name: undefined })}
      >
        <Everything size={24} aria-hidden />
        <span>{t('stop.wholeFarm')}</span>
      </button>
    </div>
  );
}

/** The device that the page on screen is about, if it is about one. */
function useThisDevice(farmId: string): { id: string; name: string | undefined } | undefined {
  const id = new URLSearchParams(useLocation().search).get('device');
  const known = useQueryClient().getQueryData<Device[]>(keys.devices(farmId));
  // The log searches devices by a text under the same name: that is no device.
  const device = known?.find((one) => one.id === id);
  return device && { id: device.id, name: device.name };
}
