// Where the browser says that it is, asked for only when the person wants it.
import type { ParseKeys } from 'i18next';
import { useState } from 'react';

/** A fix of the device takes a while outdoors; longer than this nobody waits. */
const GIVE_UP_AFTER_MS = 15_000;

type Outcome =
  | { kind: 'none' }
  | { kind: 'busy' }
  | { kind: 'found'; lat: number; lng: number }
  | { kind: 'failed'; why: ParseKeys };

export function useLocate() {
  const [outcome, setOutcome] = useState<Outcome>({ kind: 'none' });
  const ask = () => {
    if (!('geolocation' in navigator)) {
      setOutcome({ kind: 'failed', why: 'error.noGeolocation' });
      return;
    }
    setOutcome({ kind: 'busy' });
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => setOutcome({ kind: 'found', lat: coords.latitude, lng: coords.longitude }),
      () => setOutcome({ kind: 'failed', why: 'error.location' }),
      { timeout: GIVE_UP_AFTER_MS },
    );
  };
  return {
    ask,
    forget: () => setOutcome({ kind: 'none' }),
    busy: outcome.kind === 'busy',
    location: outcome.kind === 'found' ? { lat: outcome.lat, lng: outcome.lng } : undefined,
    failure: outcome.kind === 'failed' ? outcome.why : undefined,
  };
}
