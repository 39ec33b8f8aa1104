// What controllers connect with, shown once: to be typed, copied or scanned; and whether each has been heard with it.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
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

interface Props {
  controllers: readonly NewController[];
  /** What is offered of one that was heard. */
  next?: (controller: NewController) => ReactNode;
}

export function ControllerAccounts({ controllers, next }: Props) {
  return controllers.map((controller) => (
    <Account key={controller.id} {...controller} next={next?.(controller)} />
  ));
}

function Account({ id, name, farmId, mqtt, next }: NewController & { next: ReactNode }) {
  const { t } = useTranslation();
  const { address, username, password, topic } = mqtt;
  return (
    <article className={classes['account']} data-account={id}>
      <h3>{name}</h3>
      <Heard farmId={farmId} id={id} next={next} />
      <dl>
        <Line what={t('setup.broker')} text={address} />
        <Line what={t('setup.mqttUser')} text={username} />
        <Line what={t('setup.mqttPassword')} text={password} long>
          <span className={classes['password']} data-password>
            {password.match(GROUP)?.map((group, nth) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: groups may be the same, and stay where they are
              <span key={nth}>{group}</span>
            ))}
          </span>
        </Line>
        <Line what={t('setup.topic')} text={topic} long />
      </dl>
      <figure>
        <QrCode text={accountUri(mqtt)} label={t('screen.controller.qrHint')} />
        <figcaption>{t('screen.controller.qrHint')}</figcaption>
      </figure>
    </article>
  );
}

interface LineProps {
  what: string;
  text: string;
  /** It needs the whole width. */
  long?: boolean;
  /** The text as it is shown, where that is not as it is. */
  children?: ReactNode;
}

function Line({ what, text, long = false, children = <span>{text}</span> }: LineProps) {
  const { t } = useTranslation();
  return (
    <div data-long={long}>
      <dt>{what}</dt>
      <dd>
        {children}
        <CopyButton
          text={text}
          word={t('form.copy')}
          label={t('screen.controller.copyOf', { what })}
          copiedWord={t('form.copied')}
        />
      </dd>
    </div>
  );
}

/** Whether it spoke since it got its password. */
const isHeard = ({ online, lastSeen, passwordAt }: Controller) =>
  online && lastSeen !== null && lastSeen >= (passwordAt ?? 0);

function Heard({ farmId, id, next }: { farmId: string; id: string; next: ReactNode }) {
  const { t } = useTranslation();
  const found = useFound();
  const { data } = useQuery({ ...controllersQuery(farmId), refetchInterval: LOOK_MS });
  const controller = data?.find((one) => one.id === id);
  const things = controller && found(controller);
  const heard = controller !== undefined && isHeard(controller);
  return (
    <>
      <p role="status">
        {heard ? (
          <StatePill
            tone="good"
            live
            word={things ? t('screen.controller.arrived', { things }) : t('screen.controller.online')}
          />
        ) : (
          <StatePill tone="quiet" word={t('screen.controller.waiting')} />
        )}
      </p>
      {heard && next}
    </>
  );
}
