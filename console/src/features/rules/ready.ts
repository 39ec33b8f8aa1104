// What a place can be offered: usual jobs, which write the sentence at once, and ready programs, which ask before they do.
import { type PlaceNames, type SensorTypeName, sensorTypes } from '../../i18n/domain';
import type { Scope } from '../../screen/condition/places';
import { isWithin } from '../../screen/place';
import { type Answers, type Ask, offeredTo } from './asks';
import type { RuleFields } from './form';
import { type ProgramId, programIds, programs } from './programs';
import type { Device } from './queries';
import type { Sensor } from './recipes';

/** What writes the fields of the editor, once what it asks is answered. */
export interface Offer {
  asks: readonly Ask[];
  make: (answers: Answers) => Partial<RuleFields>;
}

export interface Ready extends Offer {
  id: ProgramId;
  /** What there is to choose from. */
  offered: (ask: Ask) => readonly Device[];
}

/** The programs for which a place has, in it or around it, the sensors and the devices. */
export function readyAt(
  place: Scope,
  sensors: readonly Sensor[],
  devices: readonly Device[],
  houses: PlaceNames,
): Ready[] {
  const near = (scope: Scope) => isWithin(scope, place, houses) || isWithin(place, scope, houses);
  const measured: SensorTypeName[] = sensorTypes.filter((type) =>
    sensors.some((sensor) => sensor.type === type && !sensor.gone && near(sensor.scope)),
  );
  // What stands in the place itself comes before what serves it from around.
  const here = devices.filter(({ scope }) => isWithin(scope, place, houses));
  const reachable = [...here, ...devices.filter((each) => !here.includes(each) && near(each.scope))];
  return programIds.flatMap((id) => {
    const { needs = [], needsAny, asks, make } = programs[id];
    if (!needs.every((type) => measured.includes(type))) return [];
    if (needsAny && !needsAny.some((type) => measured.includes(type))) return [];
    const asked = asks(measured);
    const offered = (ask: Ask) => offeredTo(ask, reachable);
    const lacks = asked.some((ask) => ask.kind === 'devices' && !ask.optional && offered(ask).length === 0);
    return lacks ? [] : [{ id, asks: asked, offered, make: (answers) => make(answers, devices) }];
  });
}
