// Renames a sensor or a device, or says where it stands.
import { NativeSelect, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { problemAt } from '../../api/errors';
import { type Place, useDomain } from '../../i18n/domain';
import { failureText } from '../../i18n/failure';
import { Banner } from '../../ui/Banner';
import formClasses from '../../ui/form.module.css';
import { useSaveThing } from './changes';
import { FormButtons } from './FormButtons';
import { allPlaces, placeKey } from './place';
import type { Polyhouse } from './queries';

export interface Thing {
  kind: 'sensor' | 'device';
  id: string;
  name: string;
  place: Place;
}

interface Props {
  farmId: string;
  thing: Thing;
  polyhouses: readonly Polyhouse[];
  onDone: () => void;
}

export function ThingForm({ farmId, thing, polyhouses, onDone }: Props) {
  const { t } = useTranslation();
  const domain = useDomain();
  const save = useSaveThing(farmId);
  const places = allPlaces(polyhouses);
  const [name, setName] = useState(thing.name);
  const [where, setWhere] = useState(placeKey(thing.place));
  const [tried, setTried] = useState(false);
  // A sensor can do without a name of its own.
  const nameMissing = thing.kind === 'device' && name.trim() === '';

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    const scope = places.find((place) => placeKey(place) === where);
    if (nameMissing || !scope) return;
    const fields = {
      ...(name.trim() !== thing.name && { name: name.trim() }),
      ...(where !== placeKey(thing.place) && { scope }),
    };
    save.mutate({ kind: thing.kind, id: thing.id, fields }, { onSuccess: onDone });
  };
  return (
    <form className={formClasses['form']} onSubmit={submit} noValidate>
      {save.isError && <Banner tone="bad" text={failureText(t, save.error, t('places.saveFailed'))} />}
      <TextInput
        label={t('form.name')}
        name="name"
        required={thing.kind === 'device'}
        description={thing.kind === 'sensor' && t('places.sensorNameHint')}
        data-autofocus
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={(tried && nameMissing && t('places.nameRequired')) || problemAt(save.error, 'name')}
      />
      <NativeSelect
        label={t('places.place')}
        description={t('places.placeHint')}
        name="scope"
        value={where}
        onChange={(event) => setWhere(event.currentTarget.value)}
        data={places.map((place) => ({ value: placeKey(place), label: domain.placePath(place, polyhouses) }))}
        error={problemAt(save.error, 'scope')}
      />
      <FormButtons busy={save.isPending} onCancel={onDone} />
    </form>
  );
}
