// The controllers of a farm, and what is gone of what they announced.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { answer, api } from '../../api/client';
import { farmKey, keys } from '../../api/keys';
import type { components } from '../../api/schema';
import { failureText } from '../../i18n/failure';
import { toast } from '../../ui/toast';

export type Controller = components['schemas']['Controller'];
export type MqttAccount = components['schemas']['MqttAccount'];

/** In case the live connection is down. */
const RELOAD_MS = 30_000;

export function controllersQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.controllers(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/controllers', { params: { path: { farmId } } })),
    refetchInterval: RELOAD_MS,
  });
}

/** Every sensor, with whether its controller still announces it. */
export function registeredSensorsQuery(farmId: string) {
  return queryOptions({
    queryKey: keys.sensors(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/sensors', { params: { path: { farmId } } })),
    refetchInterval: RELOAD_MS,
  });
}

/** The new password is in the answer, and nowhere else. */
export function useRenewSecret(farmId: string) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  return useMutation({
    mutationFn: (macid: string) =>
      answer(
        api.POST('/api/farms/{farmId}/controllers/{macid}/secret', { params: { path: { farmId, macid } } }),
      ),
    onError: (error) => toast('bad', failureText(t, error, t('places.saveFailed')), t('form.close')),
    onSettled: () => cache.invalidateQueries({ queryKey: farmKey(farmId) }),
  });
}
