import type { FarmPageProps } from '../../api/farms';
import { Records } from './Records';
import { sales } from './sales';

export default function SalesPage({ farmId, writes }: FarmPageProps) {
  return <Records kind={sales} farmId={farmId} writes={writes} />;
}
