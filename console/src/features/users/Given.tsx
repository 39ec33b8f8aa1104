// What a worker is given: the houses that he sees, the devices that he may switch.
import { Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { devicesQuery, polyhousesQuery } from '../../api/queries';
import { useDomain } from '../../i18n/domain';
import classes from './Users.module.css';

interface Props {
  farmId: string;
  polyhouses: string[];
  devices: string[];
  onPolyhouses: (chosen: string[]) => void;
  onDevices: (chosen: string[]) => void;
}

export default function Given({ farmId, polyhouses, devices, onPolyhouses, onDevices }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const houses = useQuery(polyhousesQuery(farmId)).data ?? [];
  const machines = useQuery(devicesQuery(farmId)).data ?? [];
  return (
    <>
      <Checkbox.Group
        label={t('work.given')}
        description={t('work.givenHint')}
        value={polyhouses}
        onChange={onPolyhouses}
      >
        <div className={classes['given']}>
          {houses.map(({ id, name }) => (
            <Checkbox key={id} value={id} label={name} />
          ))}
        </div>
      </Checkbox.Group>
      <Checkbox.Group label={t('work.givenDevices')} value={devices} onChange={onDevices}>
        <div className={classes['given']}>
          {machines.map(({ id, name, scope }) => (
            <Checkbox key={id} value={id} label={name} description={words.placePath(scope, houses)} />
          ))}
        </div>
      </Checkbox.Group>
    </>
  );
}
