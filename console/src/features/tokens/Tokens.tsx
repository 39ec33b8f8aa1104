// The person's tokens: what each is for, what it may, when it was last used, and a way to end it.
import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import Add from '~icon/Plus';
import { api } from '../../api/client';
import { useFarms } from '../../api/farms';
import { useFormat } from '../../i18n/format';
import { useWhen } from '../../i18n/when';
import { QueryState } from '../../screen/QueryState';
import { useAction } from '../../screen/useAction';
import { useDialog } from '../../screen/useDialog';
import { CardCell, CardRow, CardTable } from '../../ui/CardTable';
import { Panel } from '../../ui/Panel';
import { type Shown, type Token, tokensQuery } from './queries';
import { TokenForm } from './TokenForm';
import classes from './Tokens.module.css';
import { Until } from './Until';

interface Props {
  farmId: string;
  onMade: (shown: Shown) => void;
}

export function Tokens({ farmId, onMade }: Props) {
  const { t } = useTranslation();
  const query = useQuery(tokensQuery(farmId));
  const { ask, busy } = useAction(farmId);
  const dialog = useDialog('token');
  const end = ({ id, name }: Token) =>
    ask({
      question: t('tokens.confirmEnd', { name }),
      yes: t('tokens.end'),
      failed: t('tokens.endFailed'),
      call: () => api.DELETE('/auth/tokens/{id}', { params: { path: { id } } }),
    });
  return (
    <Panel
      title={t('tokens.title')}
      hint={t('tokens.hint')}
      action={
        <Button leftSection={<Add size={20} aria-hidden />} onClick={dialog.add}>
          {t('tokens.add')}
        </Button>
      }
    >
      <QueryState
        query={query}
        failed={t('tokens.failed')}
        empty={t('tokens.none')}
        shape={<Skeleton height={120} radius="md" />}
      >
        {(tokens) => tokens.length > 0 && <TokenTable tokens={tokens} busy={busy} onEnd={end} />}
      </QueryState>
      <TokenForm farmId={farmId} opened={dialog.isNew} onClose={dialog.close} onMade={onMade} />
    </Panel>
  );
}

interface TableProps {
  tokens: readonly Token[];
  busy: boolean;
  onEnd: (token: Token) => void;
}

function TokenTable({ tokens, busy, onEnd }: TableProps) {
  const { t } = useTranslation();
  const columns = [
    t('form.name'),
    t('tokens.may'),
    t('tokens.lastUsed'),
    t('tokens.until'),
    t('users.actions'),
  ];
  return (
    <CardTable className={classes['table']} columns={columns}>
      {tokens.map((token) => (
        <Row key={token.id} token={token} busy={busy} onEnd={onEnd} />
      ))}
    </CardTable>
  );
}

function Row({ token, busy, onEnd }: { token: Token } & Omit<TableProps, 'tokens'>) {
  const { t } = useTranslation();
  const when = useWhen();
  const format = useFormat();
  const { farms } = useFarms();
  const { name, start, scope, lastUsedAt, expiresAt, expired } = token;
  const reached = farms?.filter(({ id }) => token.farms.includes(id)).map((farm) => farm.name) ?? [];
  return (
    <CardRow data-token={start}>
      <CardCell lead className={classes['what']}>
        <span>{name}</span>
        <code>{start}…</code>
      </CardCell>
      <CardCell label={t('tokens.may')}>
        <span className={classes['lines']}>
          <span>{t(`tokens.scope.${scope}`)}</span>
          <span className={classes['soft']}>
            {reached.length > 0 ? format.list(reached) : t('tokens.noFarm')}
          </span>
        </span>
      </CardCell>
      <CardCell label={t('tokens.lastUsed')}>
        {lastUsedAt === null ? t('tokens.never') : when(lastUsedAt)}
      </CardCell>
      <CardCell label={t('tokens.until')}>
        <Until expired={expired} expiresAt={expiresAt} />
      </CardCell>
      <CardCell className={classes['actions']}>
        <Button
          variant="subtle"
          color="var(--h-bad)"
          disabled={busy}
          aria-label={t('tokens.endOf', { name })}
          onClick={() => onEnd(token)}
        >
          {t('tokens.end')}
        </Button>
      </CardCell>
    </CardRow>
  );
}
