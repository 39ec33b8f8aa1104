import type { FarmPageProps } from '../../api/farms';
import { nurseries } from './nurseries';
import { Records } from './Records';

export default function NurseriesPage({ farmId, writes }: FarmPageProps) {
  return <Records kind={nurseries} farmId={farmId} writes={writes} />;
}
