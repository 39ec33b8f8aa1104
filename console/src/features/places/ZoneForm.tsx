// Names a zone, new or known.
import { TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { problemAt } from '../../api/errors';
import { failureText } from '../../i18n/failure';
import { Banner } from '../../ui/Banner';
import formClasses from '../../ui/form.module.css';
import { useSaveZone } from './changes';
import { FormButtons } from './FormButtons';
import type { Zone } from './queries';

interface Props {
  farmId: string;
  polyhouseId: string;
  /** What is renamed; nothing when adding. */
  zone: Zone | undefined;
  onDone: () => void;
}

export function ZoneForm({ farmId, polyhouseId, zone, onDone }: Props) {
  const { t } = useTranslation();
  const save = useSaveZone(farmId, polyhouseId);
  const [name, setName] = useState(zone?.name ?? '');
  const [tried, setTried] = useState(false);
  const nameMissing = name.trim() === '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!nameMissing) save.mutate({ id: zone?.id, name: name.trim() }, { onSuccess: onDone });
  };
  return (
    <form className={formClasses['form']} onSubmit={submit} noValidate>
      {save.isError && <Banner tone="bad" text={failureText(t, save.error, t('places.saveFailed'))} />}
      <TextInput
        label={t('form.name')}
        name="name"
        required
        data-autofocus
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={(tried && nameMissing && t('places.nameRequired')) || problemAt(save.error, 'name')}
      />
      <FormButtons busy={save.isPending} onCancel={onDone} />
    </form>
  );
}
