// What is not on automatic: asked of the server, and where each is given back.
import { queryOptions } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';
import type { Act } from '../../api/verdict';

export type Exception = components['schemas']['Exception'];

/** In case the live connection is down; that a sensor is heard again no message tells. */
const RELOAD_MS = 30_000;

export const exceptionsQuery = (farmId: string) =>
  queryOptions({
    queryKey: keys.exceptions(farmId),
    queryFn: () => answer(api.GET('/api/farms/{farmId}/exceptions', { params: { path: { farmId } } })),
    refetchInterval: RELOAD_MS,
  });

/** When the first of them ends by itself. */
export const soonestEnd = (items: readonly Exception[]): number | undefined =>
  items.flatMap(({ until }) => until ?? []).sort((a, b) => a - b)[0];

/** The act that gives it back, as the farm's status calls it. */
export const actOf: Record<Exception['kind'], Exclude<Act, 'call_operator' | 'remove'> | 'test_lease'> = {
  stop: 'unlock',
  override: 'give_back',
  lock: 'unlock',
  safety: 'check_device',
  lease_unproven: 'test_lease',
  rule_disabled: 'start_rule',
  rule_draft: 'start_rule',
  alert_disabled: 'see_alert',
  alert_muted: 'see_alert',
  controller_offline: 'check_controller',
  device_offline: 'check_device',
  sensors_silent: 'check_sensor',
};

/** Where that is done. */
export function wayTo({ kind, id, polyhouseId }: Exception): string {
  const named = encodeURIComponent(id ?? '');
  switch (kind) {
    case 'rule_disabled':
    case 'rule_draft':
      return '/automation/rules';
    case 'alert_disabled':
      return '/alerts';
    case 'alert_muted':
      return `/alerts/${named}`;
    case 'controller_offline':
    case 'lease_unproven':
      return '/automation/controllers';
    case 'sensors_silent':
      return `/polyhouses?open=${encodeURIComponent(polyhouseId ?? 'farm')}`;
    default:
      return `/automation/manual?device=${named}`;
  }
}
