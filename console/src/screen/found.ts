// What was found of a controller: in words, and where it is shown.
import { useTranslation } from 'react-i18next';
import type { Controller } from '../api/controllers';
import { useFormat } from '../i18n/format';

/** The page of it. */
export const foundPath = (macid: string) => `/automation/controllers/found?controller=${macid}`;

/** "7 sensors and 3 devices"; undefined where there is nothing. */
export function useFound(): (controller: Pick<Controller, 'sensors' | 'devices'>) => string | undefined {
  const { t } = useTranslation();
  const format = useFormat();
  return ({ sensors, devices }) => {
    const things = [
      ...(sensors ? [t('screen.controller.sensors', { count: sensors, number: format.count(sensors) })] : []),
      ...(devices ? [t('screen.controller.devices', { count: devices, number: format.count(devices) })] : []),
    ];
    return things.length > 0 ? format.list(things) : undefined;
  };
}
