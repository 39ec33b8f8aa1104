// The choice of a place: the farm, a polyhouse or one of its zones.
import { NativeSelect } from '@mantine/core';
import { useDomain } from '../../i18n/domain';
import type { PlaceChoice } from './places';
import { fieldId, HINT_BELOW } from './problems';
import type { Polyhouse } from './queries';

interface Props {
  label: string;
  hint?: string;
  path: string;
  value: PlaceChoice;
  houses: readonly Polyhouse[];
  /** What choosing nothing means; without it something must be chosen. */
  inherited?: string;
  problem: string | undefined;
  onChange: (value: PlaceChoice) => void;
}

export function PlaceField({ label, hint, path, value, houses, inherited, problem, onChange }: Props) {
  const words = useDomain();
  const choices: { value: PlaceChoice; label: string }[] = [
    ...(inherited === undefined ? [] : [{ value: '' as const, label: inherited }]),
    ...houses.flatMap((house) => [
      { value: `polyhouse:${house.id}` as const, label: house.name },
      ...house.zones.map((zone) => ({
        value: `zone:${zone.id}` as const,
        label: words.placePath({ type: 'zone', zoneId: zone.id }, houses),
      })),
    ]),
    { value: 'farm', label: words.placeKind('farm') },
  ];
  // A place that is no more stays visible until another is chosen.
  if (!choices.some((choice) => choice.value === value))
    choices.push({ value, label: value.slice(value.indexOf(':') + 1) });
  return (
    <NativeSelect
      id={fieldId(path)}
      label={label}
      description={hint}
      inputWrapperOrder={HINT_BELOW}
      value={value}
      error={problem}
      data={choices}
      onChange={(event) => onChange(event.currentTarget.value as PlaceChoice)}
    />
  );
}
