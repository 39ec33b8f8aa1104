// What a task is about: a crop that grows, a zone or a device of the farm, or nothing in particular.
import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { cropCyclesQuery, cycleName } from '../../api/crops';
import { devicesQuery, polyhousesQuery } from '../../api/queries';
import { failureText } from '../../i18n/failure';
import { type About, aboutLooks, type Task } from './task';

const NOTHING = '';

/** A choice as the list holds it: its kind and its id, which may contain anything. */
export function aboutValue(about: About | null | undefined): string {
  return about ? `${about.kind}:${about.id}` : NOTHING;
}

/** The same as it is sent. */
export function aboutOf(value: string): About | null {
  const kinds = Object.keys(aboutLooks) as About['kind'][];
  const kind = kinds.find((name) => value.startsWith(`${name}:`));
  return kind ? { kind, id: value.slice(kind.length + 1) } : null;
}

interface Props extends Omit<NativeSelectProps, 'data'> {
  farmId: string;
  /** What the task is about already. */
  known: Task['about'] | undefined;
}

export function AboutField({ farmId, known, error, ...input }: Props) {
  const { t } = useTranslation();
  const cycles = useQuery(cropCyclesQuery(farmId));
  const houses = useQuery(polyhousesQuery(farmId));
  const devices = useQuery(devicesQuery(farmId));
  const failed = [cycles, houses, devices].find(({ isError }) => isError);
  const there: Record<About['kind'], { id: string; name: string }[]> = {
    CROP_CYCLE: (cycles.data ?? [])
      .filter(({ state }) => state === 'GROWING')
      .map((cycle) => ({ id: cycle.id, name: cycleName(cycle) })),
    ZONE: (houses.data ?? []).flatMap(({ name: house, zones }) =>
      zones.map(({ id, name }) => ({ id, name: t('tasks.aboutZone', { house, name }) })),
    ),
    DEVICE: (devices.data ?? [])
      .filter(({ gone }) => !gone)
      .map(({ id, name }) => ({ id, name: name || id })),
  };
  // What it is about stays in the list, though it has ended or is gone.
  if (known && !there[known.kind].some(({ id }) => id === known.id))
    there[known.kind].unshift({ id: known.id, name: known.name ?? t('tasks.aboutGone') });
  const groups = (Object.keys(aboutLooks) as About['kind'][])
    .filter((kind) => there[kind].length > 0)
    .map((kind) => ({
      group: t(aboutLooks[kind].group),
      items: there[kind].map(({ id, name }) => ({ value: aboutValue({ kind, id }), label: name })),
    }));
  return (
    <NativeSelect
      label={t('tasks.about')}
      name="about"
      {...input}
      error={error ?? (failed && failureText(t, failed.error, t('tasks.aboutFailed')))}
      data={[{ value: NOTHING, label: t('tasks.aboutNothing') }, ...groups]}
    />
  );
}
