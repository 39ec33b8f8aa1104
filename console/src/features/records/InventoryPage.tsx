import type { FarmPageProps } from '../../api/farms';
import { inventory, movements } from './inventory';
import { Records } from './Records';

export default function InventoryPage(props: FarmPageProps) {
  return (
    <>
      <Records {...props} kind={inventory} />
      <Records {...props} kind={movements} part />
    </>
  );
}
