// The form of a note of a moment.
import { NativeSelect, Textarea } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import type { components } from '../../api/schema';
import { useFormat } from '../../i18n/format';
import { FormDialog } from '../../screen/FormDialog';
import type { Note } from './queries';

const LONGEST = 2_000;
const WHOLE_FARM = '';

interface Props {
  farmId: string;
  house: components['schemas']['Polyhouse'];
  opened: boolean;
  /** What is edited, or the moment of a new one. */
  of: Note | number;
  onClose: () => void;
}

export function NoteForm({ farmId, house, of, ...dialog }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const [note, moment] = typeof of === 'number' ? [undefined, of] : [of, of.at];
  const [only] = house.zones.length === 1 ? house.zones : [];
  return (
    <FormDialog
      {...dialog}
      farmId={farmId}
      title={t('day.notes.of', { time: format.dayTime(new Date(moment)) })}
      failed={t('day.notes.saveFailed')}
      known={note}
      values={(known) => ({
        text: known?.text ?? '',
        zoneId: (known ? known.zoneId : only?.id) ?? WHOLE_FARM,
      })}
      check={({ text }) => ({ text: text.trim() === '' && t('day.notes.textRequired') })}
      save={({ text, zoneId }, known, headers) => {
        const body = { at: known?.at ?? moment, text: text.trim(), zoneId: zoneId || null };
        return known
          ? api.PUT('/api/farms/{farmId}/notes/{noteId}', {
              params: { path: { farmId, noteId: known.id } },
              headers,
              body,
            })
          : api.POST('/api/farms/{farmId}/notes', { params: { path: { farmId } }, headers, body });
      }}
    >
      {(form) => (
        <>
          <Textarea
            label={t('day.notes.text')}
            name="text"
            rows={3}
            resize="vertical"
            required
            data-autofocus
            maxLength={LONGEST}
            {...form.getInputProps('text')}
          />
          <NativeSelect
            label={t('day.notes.place')}
            name="zoneId"
            data={[
              { value: WHOLE_FARM, label: t('day.notes.farm') },
              ...house.zones.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            {...form.getInputProps('zoneId')}
          />
        </>
      )}
    </FormDialog>
  );
}
