// What a message became on the bench: its readings, states, and what is wrong with the profile or the message.
import { useTranslation } from 'react-i18next';
import type { components } from '../../api/schema';
import type { useDomain } from '../../i18n/domain';
import { Banner } from '../../ui/Banner';
import { Panel } from '../../ui/Panel';

interface Props {
  result: components['schemas']['DeviceProfileResult'];
  domain: ReturnType<typeof useDomain>;
}

const unread = ['no_profile', 'malformed', 'too_deep', 'too_many', 'unknown_alias'] as const;

export function BenchResult({ result, domain }: Props) {
  const { t } = useTranslation();
  const { profile, readings, devices, announced, online, problems } = result;
  const why = unread.find((word) => word === result.unread);
  const nothing =
    profile !== null && readings.length + devices.length + announced.length === 0 && online === null;
  return (
    <Panel title={t('controllers.bench.result')}>
      {why && <Banner tone="bad" text={t(`controllers.bench.unread.${why}`)} />}
      {problems.map(({ path, message }) => (
        <Banner key={path + message} tone="bad" text={path === '' ? message : `${path}: ${message}`} />
      ))}
      {profile !== null && <p>{t('controllers.bench.readBy', { profile })}</p>}
      {nothing && <p>{t('controllers.bench.nothing')}</p>}
      {online !== null && <p>{t(online ? 'controllers.bench.online' : 'controllers.bench.offline')}</p>}
      <ul>
        {readings.map(({ id, type, value, plausible }) => (
          <li key={id}>
            {domain.quantity(type)} ({id}):{' '}
            {value === null ? t('controllers.bench.fault') : domain.amount(type, value)}
            {value !== null && !plausible && ` ${t('controllers.bench.implausible')}`}
          </li>
        ))}
        {devices.map(({ id, on }) => (
          <li key={id}>{t(on ? 'controllers.bench.deviceOn' : 'controllers.bench.deviceOff', { id })}</li>
        ))}
        {announced.map(({ id, type }) => (
          <li key={id}>
            {type
              ? t('controllers.bench.announced', { id, what: domain.quantity(type) })
              : t('controllers.bench.announcedDevice', { id })}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
