// The form of one polyhouse, new or known.
import '@mantine/core/styles/InlineInput.css';
import '@mantine/core/styles/Switch.css';
import { Switch, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { FormDialog } from '../../screen/FormDialog';
import { NameField } from './NameField';
import type { Polyhouse } from './queries';

interface Props {
  farmId: string;
  opened: boolean;
  onClose: () => void;
  /** What is edited; nothing when adding. */
  polyhouse: Polyhouse | undefined;
}

export function PolyhouseForm({ farmId, polyhouse, ...dialog }: Props) {
  const { t } = useTranslation();
  return (
    <FormDialog
      {...dialog}
      farmId={farmId}
      title={t(polyhouse ? 'places.editPolyhouse' : 'places.addPolyhouse')}
      failed={t('places.saveFailed')}
      known={polyhouse}
      values={(known) => ({
        name: known?.name ?? '',
        capacity: known?.capacity ?? '',
        isActive: known?.isActive ?? true,
      })}
      check={({ name }) => ({ name: name.trim() === '' && t('places.nameRequired') })}
      save={({ isActive, ...typed }, known, headers) => {
        const body = { name: typed.name.trim(), capacity: typed.capacity.trim() || null };
        return known
          ? api.PUT('/api/farms/{farmId}/polyhouses/{polyhouseId}', {
              params: { path: { farmId, polyhouseId: known.id } },
              headers,
              body: { ...body, isActive },
            })
          : // In use from the start.
            api.POST('/api/farms/{farmId}/polyhouses', { params: { path: { farmId } }, headers, body });
      }}
    >
      {(form, known) => (
        <>
          <NameField {...form.getInputProps('name')} />
          <TextInput
            label={t('places.capacity')}
            description={t('places.capacityHint')}
            name="capacity"
            autoComplete="off"
            {...form.getInputProps('capacity')}
          />
          {known && (
            <Switch
              size="lg"
              label={t('places.inUse')}
              {...form.getInputProps('isActive', { type: 'checkbox' })}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}
