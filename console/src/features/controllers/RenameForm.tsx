// Another name for a controller.
import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import type { Controller } from '../../api/controllers';
import { FormDialog } from '../../screen/FormDialog';

interface Props {
  farmId: string;
  opened: boolean;
  onClose: () => void;
  controller: Controller | undefined;
}

export function RenameForm({ farmId, controller, ...dialog }: Props) {
  const { t } = useTranslation();
  return (
    <FormDialog
      {...dialog}
      farmId={farmId}
      title={t('screen.editOf', { name: controller?.name })}
      failed={t('places.saveFailed')}
      known={controller}
      values={(known) => ({ name: known?.name ?? '' })}
      check={({ name }) => ({ name: name.trim() === '' && t('places.nameRequired') })}
      save={({ name }, known) =>
        api.PATCH('/api/farms/{farmId}/controllers/{macid}', {
          params: { path: { farmId, macid: known?.macid ?? '' } },
          body: { name: name.trim() },
        })
      }
    >
      {(form) => (
        <TextInput
          label={t('form.name')}
          name="name"
          required
          maxLength={120}
          autoComplete="off"
          {...form.getInputProps('name')}
        />
      )}
    </FormDialog>
  );
}
