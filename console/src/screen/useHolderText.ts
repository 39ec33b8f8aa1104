// Who decides what a device does, in words.
import { useTranslation } from 'react-i18next';
import { useWhen } from '../i18n/when';
import { type Device, holderOf } from './device';

/** Who has the device, in a line. */
export function useHolderText(rules: ReadonlyMap<string, string> | undefined): (device: Device) => string {
  const { t } = useTranslation();
  const when = useWhen();
  return (device) => {
    const holder = holderOf(device);
    switch (holder.by) {
      case 'lock':
        return t(`stop.kind.${holder.lock.kind}`);
      case 'safety':
        return t('control.by.safety');
      case 'person':
        return holder.until === null
          ? t('control.by.person', { name: holder.name })
          : t('control.by.personUntil', { name: holder.name, time: when(holder.until) });
      case 'rule':
        return t('control.by.rule', { rule: rules?.get(holder.rule) ?? holder.rule });
      case 'pulse':
        return t('control.by.pulse', {
          rule: rules?.get(holder.rule) ?? holder.rule,
          time: when(holder.until),
        });
      case 'limit':
        return t('control.by.limit');
      case 'rest':
        return t('control.by.rest');
    }
  };
}
