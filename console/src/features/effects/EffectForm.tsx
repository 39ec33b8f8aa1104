// How a device's runs are checked: whether, what it is there for, by which sensor and within which time.
import '@mantine/core/styles/NumberInput.css';
import { NativeSelect, NumberInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { FormDialog } from '../../screen/FormDialog';
import { Checkbox } from '../../ui/Checkbox';
import type { DeviceEffect } from './queries';

const kinds = ['fan', 'vent', 'heater', 'fogger', 'irrigation', 'pump', 'dosing', 'light', 'shade'] as const;

interface Props {
  farmId: string;
  opened: boolean;
  name: string;
  effect: DeviceEffect | undefined;
  sensors: readonly { id: string; name: string | null }[];
  onClose: () => void;
}

export function EffectForm({ farmId, name, effect, sensors, ...dialog }: Props) {
  const { t } = useTranslation();
  return (
    <FormDialog
      {...dialog}
      farmId={farmId}
      title={t('effects.edit', { name })}
      failed={t('effects.saveFailed')}
      known={effect && { ...effect, id: effect.device_id }}
      values={(known) => ({
        checked: !known?.setting.off,
        kind: known?.setting.kind ?? '',
        sensor_id: known?.setting.sensor_id ?? '',
        window_min: known?.setting.window_min ?? ('' as number | ''),
      })}
      check={() => ({})}
      save={({ checked, kind, sensor_id, window_min }, known) =>
        api.PUT('/api/farms/{farmId}/devices/{deviceId}/effects', {
          params: { path: { farmId, deviceId: known?.id ?? '' } },
          body: {
            off: !checked,
            kind: kind || null,
            sensor_id: sensor_id || null,
            window_min: window_min === '' ? null : window_min,
          },
        })
      }
    >
      {(form) => (
        <>
          <Checkbox label={t('effects.check')} {...form.getInputProps('checked', { type: 'checkbox' })} />
          <NativeSelect
            label={t('effects.kind.label')}
            data={[
              { value: '', label: t('effects.kind.auto') },
              ...kinds.map((kind) => ({ value: kind, label: t(`effects.kind.${kind}`) })),
            ]}
            {...form.getInputProps('kind')}
          />
          <NativeSelect
            label={t('effects.sensor')}
            data={[
              { value: '', label: t('effects.sensorAuto') },
              ...sensors.map((sensor) => ({ value: sensor.id, label: sensor.name ?? sensor.id })),
            ]}
            {...form.getInputProps('sensor_id')}
          />
          <NumberInput
            label={t('effects.minutes')}
            description={t('effects.minutesHint')}
            min={2}
            max={120}
            allowDecimal={false}
            {...form.getInputProps('window_min')}
          />
        </>
      )}
    </FormDialog>
  );
}
