// Names a zone, new or known.
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { FormDialog } from '../../screen/FormDialog';
import { NameField } from './NameField';
import type { Zone } from './queries';

interface Props {
  farmId: string;
  polyhouseId: string;
  opened: boolean;
  onClose: () => void;
  /** What is renamed; nothing when adding. */
  zone: Zone | undefined;
}

export function ZoneForm({ farmId, polyhouseId, zone, ...dialog }: Props) {
  const { t } = useTranslation();
  return (
    <FormDialog
      {...dialog}
      farmId={farmId}
      title={t(zone ? 'places.renameZone' : 'places.addZone')}
      failed={t('places.saveFailed')}
      known={zone}
      values={(known) => ({ name: known?.name ?? '' })}
      check={({ name }) => ({ name: name.trim() === '' && t('places.nameRequired') })}
      save={({ name }, known, headers) => {
        const body = { name: name.trim() };
        return known
          ? api.PUT('/api/farms/{farmId}/polyhouses/{polyhouseId}/zones/{zoneId}', {
              params: { path: { farmId, polyhouseId, zoneId: known.id } },
              headers,
              body,
            })
          : api.POST('/api/farms/{farmId}/polyhouses/{polyhouseId}/zones', {
              params: { path: { farmId, polyhouseId } },
              headers,
              body,
            });
      }}
    >
      {(form) => <NameField {...form.getInputProps('name')} />}
    </FormDialog>
  );
}
