// Everybody's tokens that reach the farm, for its owners: whose each is, what it may, when it was last used, and a way to end it here.
import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../api/client';
import { useWhen } from '../../i18n/when';
import { QueryState } from '../../screen/QueryState';
import { useAction } from '../../screen/useAction';
import { CardCell, CardRow, CardTable } from '../../ui/CardTable';
import { Panel } from '../../ui/Panel';
import { type FarmToken, farmTokensQuery } from './queries';
import classes from './Tokens.module.css';
import { Until } from './Until';

export function FarmTokens({ farmId }: { farmId: string }) {
  const { t } = useTranslation();
  const when = useWhen();
  const query = useQuery(farmTokensQuery(farmId));
  const { ask, busy } = useAction(farmId);
  const end = ({ id, name, ownerName }: FarmToken) =>
    ask({
      question: t('tokens.confirmEndHere', { name, person: ownerName }),
      yes: t('tokens.end'),
      failed: t('tokens.endFailed'),
      call: () =>
        api.DELETE('/api/farms/{farmId}/tokens/{tokenId}', { params: { path: { farmId, tokenId: id } } }),
    });
  const columns = [
    t('form.name'),
    t('tokens.whose'),
    t('tokens.may'),
    t('tokens.lastUsed'),
    t('tokens.until'),
    t('users.actions'),
  ];
  return (
    <Panel title={t('tokens.everybodys')} hint={t('tokens.everybodysHint')}>
      <QueryState
        query={query}
        failed={t('tokens.everybodysFailed')}
        empty={t('tokens.nobodys')}
        shape={<Skeleton height={120} radius="md" />}
      >
        {(tokens) =>
          tokens.length > 0 && (
            <CardTable className={classes['table']} columns={columns}>
              {tokens.map((token) => (
                <CardRow key={token.id} data-farm-token={token.id}>
                  <CardCell lead className={classes['what']}>
                    <span>{token.name}</span>
                  </CardCell>
                  <CardCell label={t('tokens.whose')}>{token.ownerName}</CardCell>
                  <CardCell label={t('tokens.may')}>{t(`tokens.scope.${token.scope}`)}</CardCell>
                  <CardCell label={t('tokens.lastUsed')}>
                    {token.lastUsedAt === null ? t('tokens.never') : when(token.lastUsedAt)}
                  </CardCell>
                  <CardCell label={t('tokens.until')}>
                    <Until {...token} />
                  </CardCell>
                  <CardCell className={classes['actions']}>
                    <Button
                      variant="subtle"
                      color="var(--h-bad)"
                      disabled={busy}
                      aria-label={t('tokens.endOfPerson', { name: token.name, person: token.ownerName })}
                      onClick={() => end(token)}
                    >
                      {t('tokens.end')}
                    </Button>
                  </CardCell>
                </CardRow>
              ))}
            </CardTable>
          )
        }
      </QueryState>
    </Panel>
  );
}
