// What controllers connect with, shown once: to be typed, copied or scanned; and whether each has been heard with it.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { accountUri, type Controller, controllersQuery } from '../api/controllers';
import { CopyButton } from '../ui/CopyButton';
import { QrCode } from '../ui/QrCode';
import { StatePill } from '../ui/StatePill';
import classes from './ControllerAccounts.module.css';
import { useFound } from './found';
import type { NewController } from './new-controllers';

/** Somebody stands at the controller and waits. */
const LOOK_MS = 2_000;
/** Digits are typed in groups. */
const GROUP = /.{1,4}/g;

export function ControllerAccounts({ controllers }: { controllers: readonly NewController[] }) {
  return controllers.map((controller) => <Account key={controller.id} {...controller} />);
}

function Account({ id, name, farmId, mqtt }: NewController) {
  const { t } = useTranslation();
  const { address, username, password, topic } = mqtt;
  const copy = (what: string, text: string) => (
    <CopyButton
      text={text}
      word={t('form.copy')}
      label={t('controllers.copyOf', { what })}
      copiedWord={t('form.copied')}
    />
  );
  return (
    <article className={classes['account']} data-account={id}>
      <h3>{name}</h3>
      <Heard farmId={farmId} id={id} />
      <dl>
        <div>
          <dt>{t('setup.broker')}</dt>
          <dd>{address}</dd>
          {copy(t('setup.broker'), address)}
        </div>
        <div>
          <dt>{t('setup.mqttUser')}</dt>
          <dd>{username}</dd>
          {copy(t('setup.mqttUser'), username)}
        </div>
        <div className={classes['long']}>
          <dt>{t('setup.mqttPassword')}</dt>
          <dd className={classes['password']} data-password>
            {password.match(GROUP)?.map((group, nth) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: groups may be the same, and stay where they are
              <span key={nth}>{group}</span>
            ))}
          </dd>
          {copy(t('setup.mqttPassword'), password)}
        </div>
        <div className={classes['long']}>
          <dt>{t('setup.topic')}</dt>
          <dd>{topic}</dd>
          {copy(t('setup.topic'), topic)}
        </div>
      </dl>
      <figure>
        <QrCode text={accountUri(mqtt)} label={t('controllers.qrHint')} />
        <figcaption>{t('controllers.qrHint')}</figcaption>
      </figure>
    </article>
  );
}

/** Whether it spoke since it got its password. */
const isHeard = ({ online, lastSeen, passwordAt }: Controller) =>
  online && lastSeen !== null && lastSeen >= (passwordAt ?? 0);

function Heard({ farmId, id }: { farmId: string; id: string }) {
  const { t } = useTranslation();
  const found = useFound();
  const { data } = useQuery({ ...controllersQuery(farmId), refetchInterval: LOOK_MS });
  const controller = data?.find((one) => one.id === id);
  const things = controller && found(controller);
  return (
    <p role="status">
      {controller && isHeard(controller) ? (
        <StatePill
          tone="good"
          live
          word={things ? t('controllers.arrived', { things }) : t('controllers.online')}
        />
      ) : (
        <StatePill tone="quiet" word={t('controllers.waiting')} />
      )}
    </p>
  );
}
