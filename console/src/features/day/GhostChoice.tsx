// With which earlier time the curves are compared: it lies beneath them, faint.
import { NativeSelect } from '@mantine/core';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';

export const ghosts = ['none', 'day', 'week', 'year'] as const;
export type Ghost = (typeof ghosts)[number];

export const GhostChoice = memo(function GhostChoice({
  ghost,
  onChange,
}: {
  ghost: Ghost;
  onChange: (ghost: Ghost) => void;
}) {
  const { t } = useTranslation();
  return (
    <NativeSelect
      label={t('day.ghost')}
      value={ghost}
      onChange={(event) => onChange(ghosts.find((each) => each === event.currentTarget.value) ?? 'none')}
      data={ghosts.map((each) => ({ value: each, label: t(`day.ghosts.${each}`) }))}
    />
  );
});
