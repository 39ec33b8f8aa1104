// The form of one reservoir, new or known. How full it is is the sensors' to say.
import { TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { problemAt } from '../../api/errors';
import { failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { Banner } from '../../ui/Banner';
import formClasses from '../../ui/form.module.css';
import { useSaveReservoir } from './changes';
import { FormButtons } from './FormButtons';
import type { Reservoir } from './queries';

interface Props {
  farmId: string;
  /** What is edited; nothing when adding. */
  reservoir: Reservoir | undefined;
  onDone: () => void;
}

export function ReservoirForm({ farmId, reservoir, onDone }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const save = useSaveReservoir(farmId);
  const [name, setName] = useState(reservoir?.name ?? '');
  const [capacity, setCapacity] = useState(reservoir?.capacity?.toString() ?? '');
  const known = reservoir?.lastRefill ?? null;
  const knownDay = known === null ? '' : format.isoDay(new Date(known));
  const [refilled, setRefilled] = useState(knownDay);
  const [tried, setTried] = useState(false);
  const litres = capacity.trim() === '' ? null : Number(capacity);
  const wrong = {
    name: name.trim() === '' ? t('places.nameRequired') : undefined,
    capacity: litres !== null && !(litres > 0) ? t('places.capacityWrong') : undefined,
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (wrong.name || wrong.capacity) return;
    const fields = {
      name: name.trim(),
      capacity: litres,
      // The hour of a refill stays what it was while its day does.
      lastRefill: refilled === knownDay ? known : refilled === '' ? null : format.dayStart(refilled),
    };
    save.mutate({ id: reservoir?.id, fields }, { onSuccess: onDone });
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
        error={(tried && wrong.name) || problemAt(save.error, 'name')}
      />
      <TextInput
        label={t('places.capacityLitres')}
        name="capacity"
        type="number"
        inputMode="decimal"
        min={0}
        step="any"
        autoComplete="off"
        value={capacity}
        onChange={(event) => setCapacity(event.currentTarget.value)}
        error={(tried && wrong.capacity) || problemAt(save.error, 'capacity')}
      />
      <TextInput
        label={t('places.lastRefill')}
        name="lastRefill"
        type="date"
        max={format.isoDay(new Date())}
        value={refilled}
        onChange={(event) => setRefilled(event.currentTarget.value)}
        error={problemAt(save.error, 'lastRefill')}
      />
      <FormButtons busy={save.isPending} onCancel={onDone} />
    </form>
  );
}
