// What the engine found to be dangerous about a rule, in words, with the situation that shows it.
import { useTranslation } from 'react-i18next';
import { useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import type { FarmThings } from './farm';
import type { FoundHazard } from './queries';

const named = ({ id, name }: { id: string; name: string }) => name || id;

/** What is dangerous. */
export function useFoundText({ houses }: Pick<FarmThings, 'houses'>): (hazard: FoundHazard) => string {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  return ({ what }) => {
    switch (what.kind) {
      case 'fight':
        return t(`rules.found.${what.wins ? 'fight_wins' : 'fight_loses'}`, {
          device: named(what.device),
          rule: named(what.rule),
        });
      case 'never_wins':
        return t(`rules.found.${what.own ? 'never_own' : 'never_other'}`, {
          device: named(what.device),
          rule: named(what.rule),
        });
      case 'circle':
        return t(`rules.found.${what.rules.length > 0 ? 'circle' : 'circle_own'}`, {
          devices: format.list(what.devices.map(named)),
          rules: format.list(what.rules.map((rule) => `“${named(rule)}”`)),
          starts: format.count(what.starts_per_hour),
        });
      case 'limited':
        return t(`rules.found.${what.limit}`, { device: named(what.device) });
      case 'flood':
        return t('rules.found.flood', { device: named(what.device) });
      case 'dosing':
        return t('rules.found.dosing', {
          device: named(what.device),
          duration: words.duration(what.secs),
        });
      case 'one_sensor':
        return t('rules.found.one_sensor', {
          sensor: named(what.sensor),
          quantity: t(`domain.quantityInText.${what.sensor_type}`),
          place: words.placeInText(what.place, houses),
        });
    }
  };
}

/** The situation that shows it; nothing where none is needed. */
export function useExampleText({ houses }: Pick<FarmThings, 'houses'>): (hazard: FoundHazard) => string {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  return ({ example: { at, readings, reports } }) => {
    const what = [
      ...readings.map(({ sensor_type, place, value }) =>
        t('rules.found.reading', {
          quantity: t(`domain.quantityInText.${sensor_type}`),
          place: words.placeInText(place, houses),
          value: words.amount(sensor_type, value),
        }),
      ),
      ...reports.map(({ device, on }) => t(`rules.found.${on ? 'on' : 'off'}`, { device: named(device) })),
      ...(at === null ? [] : [t('rules.found.at', { time: format.dateTime(new Date(at)) })]),
    ];
    return what.length === 0 ? '' : t('rules.found.example', { what: format.list(what) });
  };
}
