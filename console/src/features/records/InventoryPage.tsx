import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { FarmPageProps } from '../../api/farms';
import { may } from '../../api/permissions';
import { useDialog } from '../../screen/useDialog';
import { PageLayout } from '../../ui/PageLayout';
import { type Item, inventory } from './inventory';
import { type Kept, type Kind, recordsQuery, withoutMoney } from './kind';
import { Records } from './Records';
import { movements } from './stock';

export default function InventoryPage({ farm, farmId, writes }: FarmPageProps) {
  const { t } = useTranslation();
  const { data: items } = useQuery(recordsQuery(farmId, inventory));
  const stock = useMemo(() => movements(items ?? []), [items]);
  const dialog = useDialog(stock.list);
  const seen = <T extends Kept>(kind: Kind<T>) => (may(farm, 'money:read') ? kind : withoutMoney(kind));
  const move = ({ id, name }: Item, kind: 'IN' | 'OUT') => {
    const word = t(kind === 'IN' ? 'inventory.bringIn' : 'inventory.takeOut');
    return (
      <Button
        variant="default"
        aria-label={t('inventory.moveOf', { word, name })}
        onClick={() => dialog.addWith({ itemId: id, kind })}
      >
        {word}
      </Button>
    );
  };
  return (
    <PageLayout title={t('nav.inventory')}>
      <Records
        kind={seen(inventory)}
        farmId={farmId}
        writes={writes}
        part
        tools={(item) => (
          <>
            {move(item, 'IN')}
            {move(item, 'OUT')}
          </>
        )}
      />
      <Records kind={seen(stock)} farmId={farmId} writes={writes} part />
    </PageLayout>
  );
}
