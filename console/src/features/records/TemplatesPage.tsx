import type { FarmPageProps } from '../../api/farms';
import { Records } from './Records';
import { templates } from './templates';

export default function TemplatesPage({ farmId, writes }: FarmPageProps) {
  return <Records kind={templates} farmId={farmId} writes={writes} />;
}
