// One asset of the list being registered.
import { ActionIcon, NativeSelect, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import Remove from '~icon/Trash';
import { useFormat } from '../../i18n/format';
import { MacField } from '../../screen/scan/MacField';
import { Panel } from '../../ui/Panel';
import type { AssetDraft, AssetType } from './asset';

interface Props {
  number: number;
  draft: AssetDraft;
  problems: { type?: string | undefined; macid?: string | undefined; name?: string | undefined };
  onChange: (draft: AssetDraft) => void;
  /** Without it the asset is the last one, which stays. */
  onRemove: (() => void) | undefined;
}

export function AssetFields({ number, draft, problems, onChange, onRemove }: Props) {
  const { t } = useTranslation();
  const position = useFormat().count(number);
  const remove = t('setup.removeAsset', { number: position });
  return (
    <Panel
      title={t('setup.asset', { number: position })}
      action={
        <ActionIcon
          variant="subtle"
          color="var(--h-bad)"
          size="3rem"
          aria-label={remove}
          title={remove}
          disabled={!onRemove}
          onClick={onRemove}
        >
          <Remove size={22} aria-hidden />
        </ActionIcon>
      }
    >
      <NativeSelect
        label={t('setup.type')}
        value={draft.type}
        onChange={(event) => onChange({ ...draft, type: event.currentTarget.value as AssetType | '' })}
        error={problems.type}
        data={[
          { value: '', label: t('setup.chooseType'), disabled: true },
          { value: 'POLYHOUSE', label: t('setup.polyhouse') },
          { value: 'FERTIGATION', label: t('setup.fertigation') },
          { value: 'GATEWAY', label: t('setup.gateway') },
        ]}
      />
      <MacField
        value={draft.macid}
        onFound={(macid) => onChange({ ...draft, macid })}
        onChange={(event) => onChange({ ...draft, macid: event.currentTarget.value })}
        error={problems.macid}
      />
      <TextInput
        label={t('setup.assetName')}
        description={t('setup.assetNameHint')}
        value={draft.name}
        autoComplete="off"
        onChange={(event) => onChange({ ...draft, name: event.currentTarget.value })}
        error={problems.name}
      />
    </Panel>
  );
}
