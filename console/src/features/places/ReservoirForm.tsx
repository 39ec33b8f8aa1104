// The form of one reservoir, new or known. How full it is is the sensors' to say.
import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { FormDialog } from '../../screen/FormDialog';
import { NameField } from './NameField';
import type { Reservoir } from './queries';

interface Props {
  farmId: string;
  opened: boolean;
  onClose: () => void;
  /** What is edited; nothing when adding. */
  reservoir: Reservoir | undefined;
}

export function ReservoirForm({ farmId, reservoir, ...dialog }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const dayOf = (at: number | null | undefined) => (at == null ? '' : format.isoDay(new Date(at)));
  return (
    <FormDialog
      {...dialog}
      farmId={farmId}
      title={t(reservoir ? 'places.editReservoir' : 'places.addReservoir')}
      failed={t('places.saveFailed')}
      known={reservoir}
      values={(known) => ({
        name: known?.name ?? '',
        capacity: known?.capacity?.toString() ?? '',
        lastRefill: dayOf(known?.lastRefill),
      })}
      check={({ name, capacity }) => ({
        name: name.trim() === '' && t('places.nameRequired'),
        capacity: capacity.trim() !== '' && !(Number(capacity) > 0) && t('places.capacityWrong'),
      })}
      save={({ name, capacity, lastRefill: day }, known, headers) => {
        const before = known?.lastRefill ?? null;
        const body = {
          name: name.trim(),
          capacity: capacity.trim() === '' ? null : Number(capacity),
          // The hour of a refill stays what it was while its day does.
          lastRefill: day === dayOf(before) ? before : day === '' ? null : format.dayStart(day),
        };
        return known
          ? api.PUT('/api/farms/{farmId}/reservoirs/{reservoirId}', {
              params: { path: { farmId, reservoirId: known.id } },
              headers,
              body,
            })
          : api.POST('/api/farms/{farmId}/reservoirs', { params: { path: { farmId } }, headers, body });
      }}
    >
      {(form) => (
        <>
          <NameField {...form.getInputProps('name')} />
          <TextInput
            label={t('places.capacityLitres')}
            name="capacity"
            type="number"
            inputMode="decimal"
            min={0}
            step="any"
            autoComplete="off"
            {...form.getInputProps('capacity')}
          />
          <TextInput
            label={t('places.lastRefill')}
            name="lastRefill"
            type="date"
            max={format.isoDay(new Date())}
            {...form.getInputProps('lastRefill')}
          />
        </>
      )}
    </FormDialog>
  );
}
