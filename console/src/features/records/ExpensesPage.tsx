import type { FarmPageProps } from '../../api/farms';
import { expenses } from './expenses';
import { Records } from './Records';

export default function ExpensesPage({ farmId, writes }: FarmPageProps) {
  return <Records kind={expenses} farmId={farmId} writes={writes} />;
}
