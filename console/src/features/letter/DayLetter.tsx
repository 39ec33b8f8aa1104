// A day's letter: what to look at tomorrow, then what the day was like.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import Print from '~icon/Printer';
import WeekIcon from '~icon/TableColumn';
import { Link } from '../../screen/Link';
import { QueryState } from '../../screen/QueryState';
import { PageLayout } from '../../ui/PageLayout';
import { Panel } from '../../ui/Panel';
import { aheadLines } from './ahead';
import { Devices } from './Devices';
import { shifted } from './days';
import { Houses } from './Houses';
import { alertLines, outageLines, peopleLines, ruleLines, writtenLines } from './happened';
import classes from './Letter.module.css';
import { Lines } from './Lines';
import { type Letter, letterQuery } from './queries';
import { Tell } from './Tell';
import { Turning } from './Turning';
import { useWords } from './useWords';

interface Props {
  farmId: string;
  farm: string;
  day: string | null;
}

export function DayLetter({ farmId, farm, day }: Props) {
  const { t } = useWords();
  const query = useQuery(letterQuery(farmId, day));
  const shown = query.data?.day ?? day;
  return (
    <PageLayout
      title={t('letter.title')}
      about={farm}
      busy={query.isPending}
      actions={
        <>
          <Button
            variant="default"
            component={Link}
            to={`/letter?week=${shown ?? ''}`}
            leftSection={<WeekIcon size={22} aria-hidden />}
          >
            {t('letter.week')}
          </Button>
          <Button
            variant="default"
            leftSection={<Print size={22} aria-hidden />}
            onClick={() => window.print()}
          >
            {t('letter.print')}
          </Button>
        </>
      }
    >
      <QueryState query={query} failed={t('letter.failed')}>
        {(letter) => <Shown farmId={farmId} letter={letter} />}
      </QueryState>
    </PageLayout>
  );
}

function Shown({ farmId, letter }: { farmId: string; letter: Letter }) {
  const words = useWords();
  const { t, format, clock } = words;
  const { day, ahead, knownUntil, until, logCut, incomplete } = letter;
  const isOver = knownUntil === until;
  const next = shifted(day, 1);
  return (
    <div className={classes['letter']}>
      <Turning
        of="day"
        title={format.longDate(new Date(letter.from))}
        earlier={`/letter?day=${shifted(day, -1)}`}
        later={isOver ? `/letter?day=${next}` : undefined}
      />
      {!isOver && <p className={classes['note']}>{t('letter.untilNow', { time: clock(knownUntil) })}</p>}
      {logCut && <p className={classes['note']}>{t('letter.logCut')}</p>}
      {incomplete && <p className={classes['note']}>{t('history.incomplete')}</p>}
      <div className={classes['panels']}>
        {ahead && (
          <Panel title={t('letter.ahead.title')}>
            <Lines lines={aheadLines(ahead, words)} none={t('letter.ahead.none')} />
          </Panel>
        )}
        <Houses houses={letter.houses} />
        <Devices houses={letter.houses} devices={letter.devices} />
        <Panel title={t('letter.rules.title')}>
          <Lines lines={ruleLines(letter, words)} none={t('letter.rules.none')} />
        </Panel>
        <Panel title={t('letter.alerts.title')}>
          <Lines lines={alertLines(letter, words)} none={t('letter.alerts.none')} />
        </Panel>
        <Panel title={t('letter.people.title')}>
          <Lines lines={peopleLines(letter, words)} none={t('letter.people.none')} />
        </Panel>
        <Panel title={t('letter.outages.title')}>
          <Lines lines={outageLines(letter, words)} none={t('letter.outages.none')} />
        </Panel>
        <Panel title={t('letter.written.title')}>
          <Lines lines={writtenLines(letter, words)} none={t('letter.written.none')} />
        </Panel>
      </div>
      <Tell farmId={farmId} isTold={letter.isTold} />
    </div>
  );
}
