// The choice of a place: the farm, a polyhouse or one of its zones.
import { NativeSelect } from '@mantine/core';
import { type PlaceNames, useDomain } from '../../i18n/domain';
import { type FieldForm, HINT_BELOW } from './fields';
import type { PlaceChoice } from './places';

interface Props {
  form: FieldForm;
  path: string;
  label: string;
  hint?: string;
  houses: PlaceNames;
  /** What choosing nothing means; without it something must be chosen. */
  inherited?: string;
}

/** All places of the farm. */
export function usePlaceChoices(chosen: PlaceChoice, houses: PlaceNames) {
  const words = useDomain();
  const choices: { value: PlaceChoice; label: string }[] = [
    { value: 'farm', label: words.placeKind('farm') },
    ...houses.flatMap((house) => [
      { value: `polyhouse:${house.id}` as const, label: house.name },
      ...house.zones.map((zone) => ({
        value: `zone:${zone.id}` as const,
        label: words.placePath({ type: 'zone', zoneId: zone.id }, houses),
      })),
    ]),
  ];
  // A place that is no more, or not loaded yet, stays visible until another is chosen.
  if (chosen !== '' && !choices.some(({ value }) => value === chosen))
    choices.push({ value: chosen, label: chosen.slice(chosen.indexOf(':') + 1) });
  return choices;
}

export function PlaceField({ form, path, label, hint, houses, inherited }: Props) {
  const field = form.getInputProps(path);
  const choices = [
    ...(inherited === undefined ? [] : [{ value: '', label: inherited }]),
    ...usePlaceChoices(field.value, houses),
  ];
  return (
    <NativeSelect
      {...field}
      label={label}
      description={hint}
      inputWrapperOrder={HINT_BELOW}
      data={choices}
      onChange={(event) => {
        field.onChange(event);
        // Which sensors there are depends on the place.
        form.setErrors((errors) =>
          Object.fromEntries(Object.entries(errors).filter(([at]) => !/\.sensor(_type)?$/.test(at))),
        );
      }}
    />
  );
}
