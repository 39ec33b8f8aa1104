// Where the person is signed in, with a way to end each sign-in, or all of them.
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import { forgetSession } from '../../api/session';
import { failedLoad, failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { Banner } from '../../ui/Banner';
import { Panel } from '../../ui/Panel';
import rows from '../../ui/rows.module.css';
import { StatePill } from '../../ui/StatePill';
import { deviceName } from './device';
import classes from './Profile.module.css';

export function Sessions() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const cache = useQueryClient();
  const format = useFormat();
  const sessions = useQuery({ queryKey: keys.sessions, queryFn: () => answer(api.GET('/auth/sessions')) });
  const end = useMutation({
    mutationFn: (id: string) => answer(api.DELETE('/auth/sessions/{id}', { params: { path: { id } } })),
    onSettled: () => cache.invalidateQueries({ queryKey: keys.sessions }),
  });
  const endAll = useMutation({
    mutationFn: () => answer(api.DELETE('/auth/sessions')),
    onSuccess: () => {
      void navigate('/login');
      forgetSession();
      cache.clear();
    },
  });
  const failed = end.error ?? endAll.error;
  return (
    <Panel title={t('profile.sessions')}>
      {failed && <Banner tone="bad" text={failureText(t, failed, t('error.endSession'))} />}
      {sessions.isError && <Banner {...failedLoad(t, sessions, t('error.fetchSessions'))} />}
      <ul className={rows['rows']}>
        {sessions.data?.sessions.map(({ id, current, userAgent, lastUsedAt }) => {
          const device = deviceName(userAgent) ?? t('profile.unknownDevice');
          return (
            <li key={id}>
              <span className={classes['device']}>
                <span>{device}</span>
                <span>{t('profile.lastUsed', { time: format.dateTime(new Date(lastUsedAt)) })}</span>
              </span>
              {current ? (
                <span className={classes['here']}>
                  <StatePill tone="active" word={t('profile.thisDevice')} />
                </span>
              ) : (
                <Button
                  variant="subtle"
                  color="var(--h-bad)"
                  aria-label={t('profile.endOf', { device })}
                  disabled={end.isPending}
                  onClick={() => end.mutate(id)}
                >
                  {t('profile.end')}
                </Button>
              )}
            </li>
          );
        })}
      </ul>
      <p>{t('profile.everywhereHint')}</p>
      <Button variant="default" loading={endAll.isPending} onClick={() => endAll.mutate()}>
        {t('profile.everywhere')}
      </Button>
    </Panel>
  );
}
