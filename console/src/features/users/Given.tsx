// What a worker is given: the houses that he sees, the devices that he may switch.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { devicesQuery, polyhousesQuery } from '../../api/queries';
import { useDomain } from '../../i18n/domain';
import { Tick } from '../../ui/Tick';
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
      <Choice
        name={t('work.given')}
        all={houses.map(({ id, name }) => ({ id, what: name }))}
        chosen={polyhouses}
        onChoose={onPolyhouses}
      />
      <Choice
        name={t('work.givenDevices')}
        all={machines.map(({ id, name, scope }) => ({
          id,
          what: (
            <>
              {name}
              <small>{words.placePath(scope, houses)}</small>
            </>
          ),
        }))}
        chosen={devices}
        onChoose={onDevices}
      />
      <p className={classes['hint']}>{t('work.givenHint')}</p>
    </>
  );
}

interface ChoiceProps {
  name: string;
  all: { id: string; what: ReactNode }[];
  chosen: string[];
  onChoose: (chosen: string[]) => void;
}

function Choice({ name, all, chosen, onChoose }: ChoiceProps) {
  return (
    <fieldset className={classes['given']}>
      <legend>{name}</legend>
      {all.map(({ id, what }) => {
        const others = chosen.filter((other) => other !== id);
        const isChosen = chosen.includes(id);
        return (
          <Tick key={id} checked={isChosen} onChange={() => onChoose(isChosen ? others : [...others, id])}>
            {what}
          </Tick>
        );
      })}
    </fieldset>
  );
}
