// A row a controller: whether it is there, when it was last heard, what was found of it, and what was refused.
import { ActionIcon, Button } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import Block from '~icon/Ban';
import Unblock from '~icon/PlayerPlay';
import Offline from '~icon/PlugConnectedX';
import type { Controller } from '../../api/controllers';
import { useAgo } from '../../i18n/ago';
import { useFormat } from '../../i18n/format';
import { useWhen } from '../../i18n/when';
import { EditDelete } from '../../screen/EditDelete';
import { foundPath, useFound } from '../../screen/found';
import { Link } from '../../screen/Link';
import { CardCell, CardRow, CardTable } from '../../ui/CardTable';
import { StatePill } from '../../ui/StatePill';
import classes from './Controllers.module.css';
import { isNew, isUnused, reasonOf } from './standing';

const TICK_MS = 10_000;

export interface Tools {
  busy: boolean;
  onRenew: (controller: Controller) => void;
  onRename: (controller: Controller) => void;
  onEnable: (controller: Controller) => void;
  onRemove: (controller: Controller) => void;
}

interface Props {
  controllers: readonly Controller[];
  /** None for who only looks. */
  tools: Tools | undefined;
}

export function ControllerTable({ controllers, tools }: Props) {
  const { t } = useTranslation();
  const [now, setNow] = useState(() => Date.now());
  useInterval(() => setNow(Date.now()), TICK_MS, { autoInvoke: true });
  // The server says what was refused to those who look after the controllers.
  const refused = controllers.some(({ deadLetters }) => deadLetters !== null);
  const columns = [
    t('form.name'),
    t('controllers.state'),
    t('controllers.lastMessage'),
    t('controllers.found'),
    ...(refused ? [t('controllers.refused')] : []),
    ...(tools ? [t('users.actions')] : []),
  ];
  return (
    <CardTable className={classes['table']} columns={columns}>
      {controllers.map((controller) => (
        <Row key={controller.id} controller={controller} now={now} refused={refused} tools={tools} />
      ))}
    </CardTable>
  );
}

interface RowProps {
  controller: Controller;
  now: number;
  refused: boolean;
  tools: Tools | undefined;
}

function Row({ controller, now, refused, tools }: RowProps) {
  const { t } = useTranslation();
  const found = useFound();
  const ago = useAgo();
  const format = useFormat();
  const { name, macid, lastSeen, firmware } = controller;
  const things = found(controller);
  return (
    <CardRow data-controller={macid}>
      <CardCell className={classes['what']}>
        <span>{name}</span>
        <code>{macid}</code>
        {firmware && <span>{t('controllers.firmware', { version: firmware })}</span>}
      </CardCell>
      <CardCell label={t('controllers.state')}>
        <State controller={controller} />
      </CardCell>
      <CardCell label={t('controllers.lastMessage')}>
        {lastSeen === null ? (
          t(isNew(controller) ? 'controllers.noneYet' : 'controllers.noMessageSinceStart')
        ) : (
          <time dateTime={new Date(lastSeen).toISOString()} title={format.dayTime(new Date(lastSeen))}>
            {ago(lastSeen, now)}
          </time>
        )}
      </CardCell>
      <CardCell label={t('controllers.found')}>
        {things ? (
          <Link
            className={classes['things'] ?? ''}
            to={foundPath(macid)}
            aria-label={t('controllers.openFound', { things })}
          >
            {things}
          </Link>
        ) : (
          t('controllers.noneYet')
        )}
      </CardCell>
      {refused && (
        <CardCell label={t('controllers.refused')}>
          <Refused controller={controller} />
        </CardCell>
      )}
      {tools && (
        <CardCell className={classes['actions']}>
          <RowTools controller={controller} {...tools} />
        </CardCell>
      )}
    </CardRow>
  );
}

function State({ controller }: { controller: Controller }) {
  const { t } = useTranslation();
  const when = useWhen();
  const { enabled, online, offlineSince } = controller;
  if (!enabled) return <StatePill tone="bad" word={t('controllers.blocked')} />;
  if (online) return <StatePill tone="good" live word={t('screen.controller.online')} />;
  if (isNew(controller)) return <StatePill tone="quiet" word={t('controllers.never')} />;
  const word =
    offlineSince === null
      ? t('domain.displayStatus.offline')
      : t('controllers.offlineSince', { time: when(offlineSince) });
  return (
    <span className={classes['lines']}>
      <StatePill tone="warn" icon={Offline} word={word} />
      {isUnused(controller) && <span className={classes['soft']}>{t('controllers.passwordUnused')}</span>}
    </span>
  );
}

function Refused({ controller: { deadLetters } }: { controller: Controller }) {
  const { t } = useTranslation();
  const format = useFormat();
  const when = useWhen();
  if (!deadLetters?.count) return format.count(0);
  const { count, lastAt, lastReason } = deadLetters;
  return (
    <span className={classes['lines']}>
      <span>{format.count(count)}</span>
      {lastReason !== null && (
        // The word is what the documents and whoever looks after the controller's program call it.
        <span className={classes['soft']} title={lastReason}>
          {t(`controllers.reason.${reasonOf(lastReason)}`)}
        </span>
      )}
      {lastReason !== null && (
        <span>{t(`controllers.remedy.${reasonOf(lastReason)}`, { word: lastReason })}</span>
      )}
      {lastAt !== null && <span className={classes['soft']}>{when(lastAt)}</span>}
    </span>
  );
}

function RowTools({
  controller,
  busy,
  onRenew,
  onRename,
  onEnable,
  onRemove,
}: Tools & { controller: Controller }) {
  const { t } = useTranslation();
  const { name, enabled } = controller;
  const block = t(enabled ? 'controllers.shutOutOf' : 'controllers.letInOf', { name });
  return (
    <>
      <Button
        variant="default"
        disabled={busy}
        aria-label={t('controllers.newPasswordOf', { name })}
        onClick={() => onRenew(controller)}
      >
        {t('controllers.newPassword')}
      </Button>
      <ActionIcon
        variant="subtle"
        color="var(--h-ink)"
        size="3rem"
        aria-label={block}
        title={block}
        disabled={busy}
        onClick={() => onEnable(controller)}
      >
        {enabled ? <Block size={22} aria-hidden /> : <Unblock size={22} aria-hidden />}
      </ActionIcon>
      <EditDelete
        name={name}
        editable={!busy}
        onEdit={() => onRename(controller)}
        deletable={!busy}
        onDelete={() => onRemove(controller)}
      />
    </>
  );
}
