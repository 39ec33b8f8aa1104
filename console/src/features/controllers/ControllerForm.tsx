// The form of one more controller: its MAC, read from its box or typed, and what it controls. Once it is registered its
// window opens.
import { TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { readMac } from '../../api/controllers';
import { polyhousesQuery, reservoirsQuery } from '../../api/queries';
import type { components } from '../../api/schema';
import { FormDialog } from '../../screen/FormDialog';
import { keepNewControllers } from '../../screen/new-controllers';
import { MacField } from '../../screen/scan/MacField';
import { Choices } from '../../ui/Choices';

type Kind = components['schemas']['AssetKind'];

interface Props {
  farmId: string;
  opened: boolean;
  onClose: () => void;
}

export function ControllerForm({ farmId, ...dialog }: Props) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const houses = useQuery({ ...polyhousesQuery(farmId), enabled: dialog.opened }).data ?? [];
  const tanks = useQuery({ ...reservoirsQuery(farmId), enabled: dialog.opened }).data ?? [];
  // Where there is one house, and nothing else to choose from, it is that.
  const only = houses.length === 1 && tanks.length === 0 ? `POLYHOUSE/${houses[0]?.id}` : '';
  const choices = (kind: Kind, fresh: string, places: readonly { id: string; name: string }[]) => [
    ...places.map(({ id, name }) => ({ value: `${kind}/${id}`, label: name })),
    { value: kind, label: fresh },
  ];
  return (
    <FormDialog
      {...dialog}
      farmId={farmId}
      title={t('controllers.add')}
      failed={t('places.saveFailed')}
      known={undefined}
      values={() => ({ macid: '', type: '', name: '' })}
      check={({ macid, type }) => ({
        macid:
          macid.trim() === ''
            ? t('error.macRequired')
            : readMac(macid) === undefined && t('error.macInvalid'),
        type: (type || only) === '' && t('controllers.choosePlace'),
      })}
      save={async ({ macid, type: chosen, name }, _, headers) => {
        const [kind, ...id] = (chosen || only).split('/');
        const type = kind as Kind;
        const place = id.join('/');
        const made = await api.POST('/api/farms/{farmId}/controllers', {
          params: { path: { farmId } },
          headers,
          body: {
            type,
            macid: macid.trim(),
            ...(name.trim() && { name: name.trim() }),
            ...(place && { [type === 'POLYHOUSE' ? 'polyhouseId' : 'reservoirId']: place }),
          },
        });
        if (made.data) keepNewControllers(cache, [made.data]);
        return made;
      }}
    >
      {(form) => (
        <>
          <MacField
            auto
            name="macid"
            required
            onFound={(mac) => form.setFieldValue('macid', mac)}
            {...form.getInputProps('macid')}
          />
          <Choices
            label={t('controllers.place')}
            name="type"
            choices={[
              ...choices('POLYHOUSE', t('controllers.newPolyhouse'), houses),
              ...choices('FERTIGATION', t('controllers.newReservoir'), tanks),
              { value: 'GATEWAY', label: t('controllers.gateway') },
            ]}
            value={form.values.type || only}
            onChange={(chosen) => form.setFieldValue('type', chosen)}
            error={form.errors['type']}
          />
          <TextInput
            label={t('form.name')}
            description={t('setup.assetNameHint')}
            name="name"
            maxLength={120}
            autoComplete="off"
            {...form.getInputProps('name')}
          />
        </>
      )}
    </FormDialog>
  );
}
