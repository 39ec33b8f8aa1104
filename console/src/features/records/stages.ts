// The stages of a crop while they are typed, and as they are sent.
import type { TFunction } from 'i18next';
import type { SensorTypeName } from '../../i18n/domain';
import type { Schemas } from './kind';
import { decimal, whole } from './money';

export interface TypedStage {
  /** Tells it from others that are typed alike. */
  key: string;
  name: string;
  days: string;
  setpoints: { key: string; sensorType: SensorTypeName; min: string; max: string }[];
}

let made = 0;
/** A name for something that is new in a form. */
export const newKey = () => `new-${made++}`;

export function typedStages(stages: readonly Schemas['Stage'][]): TypedStage[] {
  return stages.map(({ name, days, setpoints = [] }) => ({
    key: newKey(),
    name,
    days: String(days),
    setpoints: setpoints.map(({ sensorType, min, max }) => ({
      key: newKey(),
      sensorType,
      min: String(min),
      max: String(max),
    })),
  }));
}

export function firstStages(record: object | undefined): TypedStage[] {
  return typedStages((record as { stages?: Schemas['Stage'][] } | undefined)?.stages ?? []);
}

/** A number below zero too. */
function degrees(typed: string): number | undefined {
  const value = decimal(typed.trim().replace(/^-/, ''));
  return value !== undefined && typed.trim().startsWith('-') ? -value : value;
}

export function wireStages(value: unknown): Schemas['Stage'][] {
  return (value as TypedStage[]).map(({ name, days, setpoints }) => ({
    name: name.trim(),
    days: whole(days) ?? 0,
    setpoints: setpoints.map(({ sensorType, min, max }) => ({
      sensorType,
      min: degrees(min) ?? 0,
      max: degrees(max) ?? 0,
    })),
  }));
}

export function wrongStages(value: unknown, t: TFunction): Record<string, string> {
  const wrong: Record<string, string> = {};
  (value as TypedStage[]).forEach(({ name, days, setpoints }, i) => {
    if (name.trim() === '') wrong[`stages[${i}].name`] = t('records.required');
    if (whole(days) === undefined) wrong[`stages[${i}].days`] = t('records.wholeWrong');
    setpoints.forEach(({ min, max }, n) => {
      if (degrees(min) === undefined) wrong[`stages[${i}].setpoints[${n}].min`] = t('records.numberWrong');
      if (degrees(max) === undefined) wrong[`stages[${i}].setpoints[${n}].max`] = t('records.numberWrong');
    });
  });
  return wrong;
}
