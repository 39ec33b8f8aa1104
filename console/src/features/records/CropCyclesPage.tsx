import type { FarmPageProps } from '../../api/farms';
import { cycles } from './cycles';
import { Records } from './Records';

export default function CropCyclesPage({ farmId, writes }: FarmPageProps) {
  return <Records kind={cycles} farmId={farmId} writes={writes} />;
}
