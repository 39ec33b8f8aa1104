// The first hour on a farm: what is to be done until it runs by itself, and what of it is done, by what the farm has: on
// whichever phone somebody goes on.
import { useLocalStorage } from '@mantine/hooks';
import { useQueries } from '@tanstack/react-query';
import { answer, api } from '../api/client';
import { controllersQuery } from '../api/controllers';
import { keys } from '../api/keys';
import { invitesQuery, usersQuery } from '../api/people';
import { devicesQuery, polyhousesQuery, registeredSensorsQuery, rulesQuery } from '../api/queries';
import { foundPath } from './found';

export const stepNames = ['house', 'controller', 'sensors', 'devices', 'person', 'alert', 'rule'] as const;
export type StepName = (typeof stepNames)[number];

export interface Step {
  name: StepName;
  done: boolean;
  /** Where it is done; undefined while what comes before it is missing. */
  to: string | undefined;
  /** It is begun: a controller that is registered and was not heard yet. */
  begun: boolean;
}

const HAND = 'manual_command';

/** The steps; undefined while it is not known how the farm stands. */
export function useFirstHour(farmId: string): { steps: readonly Step[] | undefined; failed: Failed[] } {
  const [houses, controllers, sensors, devices, byHand, people, invites, alerts, rules] = useQueries({
    queries: [
      polyhousesQuery(farmId),
      controllersQuery(farmId),
      registeredSensorsQuery(farmId),
      devicesQuery(farmId),
      {
        queryKey: [...keys.logs(farmId), 'by-hand'],
        queryFn: async () =>
          (
            await answer(
              api.GET('/api/farms/{farmId}/logs', {
                params: { path: { farmId }, query: { type: HAND, pageSize: 1 } },
              }),
            )
          ).matching,
      },
      usersQuery(farmId),
      invitesQuery(farmId),
      {
        queryKey: keys.alerts(farmId),
        queryFn: () => answer(api.GET('/api/farms/{farmId}/alerts', { params: { path: { farmId } } })),
      },
      rulesQuery(farmId),
    ],
  });
  const all = [houses, controllers, sensors, devices, byHand, people, invites, alerts, rules];
  const failed = all.filter(({ isError }) => isError);
  if (
    !houses.data ||
    !controllers.data ||
    !sensors.data ||
    !devices.data ||
    byHand.data === undefined ||
    !people.data ||
    !invites.data ||
    !alerts.data ||
    !rules.data
  )
    return { steps: undefined, failed };
  const here = sensors.data.filter(({ gone }) => !gone);
  const heard = controllers.data.some(
    ({ online, lastSeen, sensors: some }) => online || lastSeen !== null || some > 0,
  );
  const unnamed = here.find(({ name }) => name === null);
  const box = unnamed?.controller ?? controllers.data[0]?.macid;
  const toBox = heard && box !== undefined ? foundPath(box) : undefined;
  const step = (name: StepName, done: boolean, to: string | undefined, begun = false): Step => ({
    name,
    done,
    to,
    begun: begun && !done,
  });
  return {
    failed,
    steps: [
      step('house', houses.data.length > 0, '/polyhouses?new'),
      step(
        'controller',
        heard,
        controllers.data.length > 0 ? '/automation/controllers' : '/automation/controllers?new',
        controllers.data.length > 0,
      ),
      step(
        'sensors',
        here.length > 0 && unnamed === undefined,
        toBox,
        here.some(({ name }) => name !== null),
      ),
      step('devices', byHand.data > 0, toBox),
      step('person', people.data.length > 1 || invites.data.length > 0, '/users?new-invite'),
      step('alert', alerts.data.length > 0, '/notifications?new'),
      step('rule', rules.data.length > 0, '/automation/rules?new'),
    ],
  };
}

type Failed = { error: unknown; isError: boolean; isFetching: boolean; refetch: () => unknown };

/** Whether this person wants to see nothing more of it on this farm, here. */
export function useFirstHourAway(farmId: string): [boolean, (away: boolean) => void] {
  const [away, setAway] = useLocalStorage({
    key: `first-hour-away:${farmId}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  return [away, setAway];
}
