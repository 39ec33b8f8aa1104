// What is not on automatic, on every page as long as it is so, in one line: how much, and the time left of what ends first. It
// opens the list of it.
import { UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import Go from '~icon/ChevronRight';
import Hand from '~icon/HandStop';
import { useFormat } from '../../i18n/format';
import { Countdown } from '../../screen/Countdown';
import { later } from '../../ui/later';
import classes from './Exceptions.module.css';
import { exceptionsQuery, soonestEnd } from './queries';

const ExceptionList = later(async () => (await import('./ExceptionList')).ExceptionList);

export function Exceptions({ farmId }: { farmId: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [opened, setOpened] = useState(false);
  const found = useQuery(exceptionsQuery(farmId)).data;
  if (!found || found.count === 0) return null;
  const [first] = found.items;
  const soonest = soonestEnd(found.items);
  const name = found.count === 1 && first?.count === 1 ? first.names[0] : undefined;
  return (
    <section className={classes['strip']} aria-label={t('exceptions.title')}>
      <UnstyledButton
        className={classes['line'] ?? ''}
        aria-haspopup="dialog"
        data-exceptions={found.count}
        onClick={() => setOpened(true)}
      >
        <Hand size={22} aria-hidden />
        <span>
          {name === undefined
            ? t('exceptions.count', { count: found.count, value: format.count(found.count) })
            : t('exceptions.named', { name })}
        </span>
        {soonest !== undefined && <Countdown until={soonest} />}
        <Go size={20} aria-hidden />
      </UnstyledButton>
      {opened && <ExceptionList farmId={farmId} found={found} onClose={() => setOpened(false)} />}
    </section>
  );
}
