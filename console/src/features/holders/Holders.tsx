// Who decides about each device now, by the lanes of precedence: columns on a desk, house by house; on a phone one lane below
// the other. A tap shows everything that has a say about the device.
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FarmPageProps } from '../../api/farms';
import { polyhousesQuery } from '../../api/queries';
import { useFormat } from '../../i18n/format';
import { Ladder } from '../../screen/explained/parts';
import { Link } from '../../screen/Link';
import { QueryState } from '../../screen/QueryState';
import { ToFirstHour } from '../../screen/ToFirstHour';
import { Dialog } from '../../ui/Dialog';
import { Empty } from '../../ui/Empty';
import { PageLayout } from '../../ui/PageLayout';
import { HolderCard } from './HolderCard';
import classes from './Holders.module.css';
import { byLane, type HeldDevice, housesOf, shownLanes } from './lanes';
import { holdersQuery } from './queries';

/** From here on the lanes stand side by side (the same width as in Holders.module.css). */
const WIDE = '(min-width: 62em)';

export default function Holders({ farmId }: FarmPageProps) {
  const { t } = useTranslation();
  const wide = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false });
  const query = useQuery(holdersQuery(farmId));
  const [chosen, setChosen] = useState<HeldDevice>();
  return (
    <PageLayout
      title={t('nav.holders')}
      about={t(wide ? 'holders.about' : 'holders.aboutPhone')}
      busy={query.isPending}
    >
      <QueryState query={query} failed={t('holders.failed')}>
        {({ devices }) =>
          devices.length === 0 ? (
            <Empty action={<ToFirstHour />}>{t('holders.none')}</Empty>
          ) : wide ? (
            <Columns farmId={farmId} devices={devices} onChoose={setChosen} />
          ) : (
            <Lanes farmId={farmId} devices={devices} onChoose={setChosen} />
          )
        }
      </QueryState>
      <Dialog
        opened={chosen !== undefined}
        onClose={() => setChosen(undefined)}
        title={chosen?.name ?? ''}
        closeLabel={t('form.close')}
      >
        {chosen && (
          <div className={classes['chosen']}>
            <Ladder farmId={farmId} deviceId={chosen.id} />
            <Link to={`/automation/manual?device=${encodeURIComponent(chosen.id)}`}>{t('why.open')}</Link>
          </div>
        )}
      </Dialog>
    </PageLayout>
  );
}

interface BoardProps {
  farmId: string;
  devices: readonly HeldDevice[];
  onChoose: (device: HeldDevice) => void;
}

function Columns({ farmId, devices, onChoose }: BoardProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const known = useQuery(polyhousesQuery(farmId)).data ?? [];
  const lanes = shownLanes(devices);
  const houses = housesOf(devices, known, t('domain.place.farm'), format.compare);
  return (
    <table className={classes['board']} data-lanes={lanes.length}>
      <thead>
        <tr>
          <th scope="col">{t('holders.house')}</th>
          {lanes.map((lane) => (
            <th key={lane} scope="col" data-lane={lane}>
              {t(`holders.lane.${lane}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {houses.map((house) => (
          <tr key={house.id ?? 'farm'} data-house={house.id ?? 'farm'}>
            <th scope="row">{house.name}</th>
            {lanes.map((lane) => (
              <td key={lane} data-lane={lane}>
                {house.byLane.has(lane) ? (
                  <ul>
                    {house.byLane.get(lane)?.map((device) => (
                      <li key={device.id}>
                        <HolderCard device={device} onChoose={() => onChoose(device)} />
                      </li>
                    ))}
                  </ul>
                ) : (
                  <span className={classes['nothing']}>{t('holders.empty')}</span>
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Lanes({ farmId, devices, onChoose }: BoardProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const known = useQuery(polyhousesQuery(farmId)).data ?? [];
  const placeOf = ({ scope }: HeldDevice) =>
    known.find(({ id }) => id === scope.polyhouseId)?.name ?? t('domain.place.farm');
  return [...byLane(devices, format.compare)].map(([lane, own]) => (
    <section key={lane} className={classes['lane']} aria-labelledby={`lane-${lane}`} data-lane={lane}>
      <h2 id={`lane-${lane}`}>
        {t(`holders.lane.${lane}`)} <span>{format.count(own.length)}</span>
      </h2>
      <ul>
        {own.map((device) => (
          <li key={device.id}>
            <HolderCard device={device} place={placeOf(device)} onChoose={() => onChoose(device)} />
          </li>
        ))}
      </ul>
    </section>
  ));
}
