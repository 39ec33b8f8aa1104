// Hands the person a file of rules.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import Export from '~icon/Download';
import { download } from '../../ui/download';
import type { FarmThings } from './farm';
import type { Rule } from './queries';
import { fileName, fileOf } from './transfer';

interface Props {
  /** What the file is called. */
  title: string;
  rules: readonly Rule[];
  things: FarmThings;
  label: string;
}

export function ExportButton({ title, rules, things, label }: Props) {
  const { t } = useTranslation();
  return (
    <Button
      variant="subtle"
      color="var(--h-soft)"
      leftSection={<Export size={20} aria-hidden />}
      aria-label={label}
      onClick={() =>
        download(fileName(title), `${JSON.stringify(fileOf(rules, things), null, 2)}\n`, 'application/json')
      }
    >
      {t('rules.transfer.export')}
    </Button>
  );
}
