// Renames a sensor or a device, or says where it stands.
import { NativeSelect } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { type Place, useDomain } from '../../i18n/domain';
import { FormDialog } from '../../screen/FormDialog';
import { allPlaces, placeKey } from '../../screen/place';
import { NameField } from './NameField';
import type { Polyhouse } from './queries';

export interface Thing {
  kind: 'sensor' | 'device';
  id: string;
  name: string | null;
  scope: Place;
}

interface Props {
  farmId: string;
  opened: boolean;
  onClose: () => void;
  thing: Thing | undefined;
  polyhouses: readonly Polyhouse[];
}

export function ThingForm({ farmId, thing, polyhouses, ...dialog }: Props) {
  const { t } = useTranslation();
  const domain = useDomain();
  const places = allPlaces(polyhouses);
  const isDevice = thing?.kind === 'device';
  const values = (known: Thing | undefined) => ({
    name: known?.name ?? '',
    scope: placeKey(known?.scope ?? { type: 'farm' }),
  });
  return (
    <FormDialog
      {...dialog}
      farmId={farmId}
      title={t(isDevice ? 'places.editDevice' : 'places.editSensor')}
      failed={t('places.saveFailed')}
      known={thing}
      values={values}
      // A sensor can do without a name of its own.
      check={({ name }) => ({ name: isDevice && name.trim() === '' && t('places.nameRequired') })}
      save={(typed, known, headers) => {
        const before = values(known);
        const name = typed.name.trim();
        const scope = places.find((place) => placeKey(place) === typed.scope);
        const body = {
          ...(name !== before.name && { name }),
          ...(scope && typed.scope !== before.scope && { scope }),
        };
        const id = known?.id ?? '';
        return isDevice
          ? api.PATCH('/api/farms/{farmId}/devices/{deviceId}', {
              params: { path: { farmId, deviceId: id } },
              headers,
              body,
            })
          : api.PATCH('/api/farms/{farmId}/sensors/{sensorId}', {
              params: { path: { farmId, sensorId: id } },
              headers,
              body,
            });
      }}
    >
      {(form) => (
        <>
          <NameField
            required={isDevice}
            description={!isDevice && t('places.sensorNameHint')}
            {...form.getInputProps('name')}
          />
          <NativeSelect
            label={t('places.place')}
            description={t('places.placeHint')}
            name="scope"
            data={places.map((place) => ({
              value: placeKey(place),
              label: domain.placePath(place, polyhouses),
            }))}
            {...form.getInputProps('scope')}
          />
        </>
      )}
    </FormDialog>
  );
}
