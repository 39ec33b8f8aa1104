// What a form says when somebody else changed what is being edited, and the choice between the two.
import { Button, Group, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Changed } from '../api/errors';
import { useFormat } from '../i18n/format';
import { Banner } from '../ui/Banner';

interface Props {
  changed: Changed;
  /** What it says now, in words. */
  now?: string;
  /** Why there is nothing to keep: what was typed cannot be put on top of it. */
  note?: string;
  goOn: (keep: boolean) => void;
}

export function ChangedMeanwhile({ changed: { by, at }, now, note, goOn }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const text =
    by !== null && at !== null
      ? t('screen.changedBy', { name: by, time: format.clock(new Date(at)) })
      : t('screen.changedMeanwhile');
  return (
    <Stack tabIndex={-1} data-changed>
      <Banner tone="warn" text={[text, now, note].filter(Boolean).join(' ')} />
      <Group grow preventGrowOverflow={false}>
        <Button variant="default" onClick={() => goOn(false)}>
          {t('screen.showTheirs')}
        </Button>
        {!note && <Button onClick={() => goOn(true)}>{t('screen.keepMine')}</Button>}
      </Group>
    </Stack>
  );
}
