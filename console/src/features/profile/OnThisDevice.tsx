// Alerts as messages of this phone or computer (Web Push), and on which others one has them.
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';
import { failedLoad, failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { Banner } from '../../ui/Banner';
import { Panel } from '../../ui/Panel';
import rows from '../../ui/rows.module.css';
import { deviceName } from './device';
import classes from './Profile.module.css';
import { type Hindrance, hindrance, NotHere, subscribe, unsubscribe } from './subscription';

type Browser = components['schemas']['PushBrowser'];

const hindered = { unsupported: 'profile.push.unsupported', denied: 'profile.push.denied' } as const;

export function OnThisDevice() {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const push = useQuery({ queryKey: keys.push, queryFn: () => answer(api.GET('/auth/me/push')) });
  const key = push.data?.publicKey ?? null;
  const changed = () =>
    Promise.all([keys.push, keys.toldChoice].map((queryKey) => cache.invalidateQueries({ queryKey })));
  const add = useMutation({
    mutationFn: async (publicKey: string) => {
      const { endpoint, keys: own } = (await subscribe(publicKey)).toJSON();
      const body = {
        endpoint: endpoint ?? '',
        keys: { p256dh: own?.['p256dh'] ?? '', auth: own?.['auth'] ?? '' },
      };
      return answer(api.POST('/auth/me/push', { body }));
    },
    onSettled: changed,
  });
  const browsers = push.data?.browsers ?? [];
  const here = browsers.some(({ current }) => current);
  const why: Hindrance | undefined = add.error instanceof NotHere ? add.error.why : hindrance();
  // Where the server has no Web Push there is nothing to choose.
  if (push.isSuccess && key === null) return null;
  return (
    <Panel title={t('profile.push.title')} hint={t('profile.push.hint')}>
      {push.isError && <Banner {...failedLoad(t, push, t('profile.push.failed'))} />}
      {why && !here && <Banner tone="warn" text={t(hindered[why])} />}
      {add.isError && !why && (
        <Banner tone="bad" text={failureText(t, add.error, t('profile.push.addFailed'))} />
      )}
      {add.isSuccess && here && <Banner tone="good" text={t('profile.push.added')} />}
      {browsers.length > 0 && (
        <ul className={rows['rows']}>
          {browsers.map((browser) => (
            <Row key={browser.id} browser={browser} onRemoved={changed} />
          ))}
        </ul>
      )}
      {key !== null && !here && why !== 'unsupported' && (
        <Button loading={add.isPending} onClick={() => add.mutate(key)}>
          {t('profile.push.on')}
        </Button>
      )}
    </Panel>
  );
}

function Row({
  browser: { id, current, userAgent, sentAt },
  onRemoved,
}: {
  browser: Browser;
  onRemoved: () => unknown;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const params = { path: { browserId: id } };
  const test = useMutation({
    mutationFn: () => answer(api.POST('/auth/me/push/{browserId}/test', { params: params })),
  });
  const remove = useMutation({
    mutationFn: async () => {
      // What the browser does not end is ended by the server all the same.
      if (current) await unsubscribe().catch(() => undefined);
      return answer(api.DELETE('/auth/me/push/{browserId}', { params: params }));
    },
    onSettled: onRemoved,
  });
  const named = deviceName(userAgent) ?? t('profile.unknownDevice');
  const device = current ? t('profile.thisDevice') : named;
  return (
    <li>
      <span className={classes['device']}>
        <span>{current ? `${device} (${named})` : named}</span>
        <span>
          {sentAt === null
            ? t('profile.push.never')
            : t('profile.push.last', { time: format.dateTime(new Date(sentAt)) })}
        </span>
        {test.isSuccess && <span role="status">{t('profile.push.tested')}</span>}
        {test.isError && <span role="alert">{failureText(t, test.error, t('profile.push.testFailed'))}</span>}
        {remove.isError && (
          <span role="alert">{failureText(t, remove.error, t('profile.push.offFailed'))}</span>
        )}
      </span>
      <Button
        variant="default"
        aria-label={t('profile.push.testOf', { device })}
        loading={test.isPending}
        onClick={() => test.mutate()}
      >
        {t('profile.push.test')}
      </Button>
      <Button
        variant="subtle"
        color="var(--h-bad)"
        aria-label={t('profile.push.offOf', { device })}
        loading={remove.isPending}
        onClick={() => remove.mutate()}
      >
        {t('profile.push.off')}
      </Button>
    </li>
  );
}
