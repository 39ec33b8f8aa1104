// STOP, on every screen: held for a second it opens the choice of what is to stop, and the next tap stops it.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import Hand from '~icon/HandStop';
import { markShown } from '../../ui/first';
import { HoldButton } from '../../ui/HoldButton';
import { later } from '../../ui/later';
import { useHouses } from './queries';
import classes from './Stop.module.css';
import type { Opened } from './StopSheet';

/** Who holds the button before it has come is shown it as soon as it has. */
const StopSheet = later(async () => (await import('./StopSheet')).StopSheet);

const HOLD_MS = 1_000;

export function StopControl({ farmId }: { farmId: string }) {
  const { t } = useTranslation();
  const [opened, setOpened] = useState<Opened>();
  // Asked for before anybody needs it: there may be no network then.
  const houses = useHouses(farmId) ?? [];
  const open = (how: Opened) => {
    // Nothing that the page waits for comes before it.
    markShown();
    setOpened(how);
  };
  return (
    <>
      <HoldButton
        className={classes['stop']}
        label={t('stop.button')}
        holdMs={HOLD_MS}
        onHeld={() => open('held')}
        onPressed={() => open('pressed')}
      >
        <Hand size={26} stroke={2} aria-hidden />
        <span>{t('stop.word')}</span>
      </HoldButton>
      <StopSheet farmId={farmId} houses={houses} opened={opened} onClose={() => setOpened(undefined)} />
    </>
  );
}
