// The form of one polyhouse, new or known.
import { Switch, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { problemAt } from '../../api/errors';
import { failureText } from '../../i18n/failure';
import { Banner } from '../../ui/Banner';
import formClasses from '../../ui/form.module.css';
import { useSavePolyhouse } from './changes';
import { FormButtons } from './FormButtons';
import type { Polyhouse } from './queries';

interface Props {
  farmId: string;
  /** What is edited; nothing when adding. */
  polyhouse: Polyhouse | undefined;
  onDone: () => void;
}

export function PolyhouseForm({ farmId, polyhouse, onDone }: Props) {
  const { t } = useTranslation();
  const save = useSavePolyhouse(farmId);
  const [name, setName] = useState(polyhouse?.name ?? '');
  const [capacity, setCapacity] = useState(polyhouse?.capacity ?? '');
  const [isActive, setActive] = useState(polyhouse?.isActive ?? true);
  const [tried, setTried] = useState(false);
  const nameMissing = name.trim() === '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (nameMissing) return;
    const fields = { name: name.trim(), capacity: capacity.trim() || null, isActive };
    save.mutate({ id: polyhouse?.id, fields }, { onSuccess: onDone });
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
      <TextInput
        label={t('places.capacity')}
        description={t('places.capacityHint')}
        name="capacity"
        autoComplete="off"
        value={capacity}
        onChange={(event) => setCapacity(event.currentTarget.value)}
        error={problemAt(save.error, 'capacity')}
      />
      {polyhouse && (
        <Switch
          size="lg"
          label={t('places.inUse')}
          checked={isActive}
          onChange={(event) => setActive(event.currentTarget.checked)}
          error={problemAt(save.error, 'isActive')}
        />
      )}
      <FormButtons busy={save.isPending} onCancel={onDone} />
    </form>
  );
}
