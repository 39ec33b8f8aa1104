import type { FarmPageProps } from '../../api/farms';
import { harvests } from './harvests';
import { Records } from './Records';

export default function HarvestsPage({ farmId, writes }: FarmPageProps) {
  return <Records kind={harvests} farmId={farmId} writes={writes} />;
}
