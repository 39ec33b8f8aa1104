// The layout of a screen that hangs on a wall: the page alone, of the chosen farm, live.
import { Suspense, useLayoutEffect } from 'react';
import { Outlet } from 'react-router';
import { useFarms } from '../api/farms';
import { useLive } from '../api/live-status';
import { FarmTimeZone } from '../i18n/format';
import { Doubt } from './doubt';
import { loadLive } from './load-live';
import { endStart } from './start';

export function Component() {
  useLayoutEffect(endStart, []);
  const { current } = useFarms();
  useLive(current?.id, loadLive);
  return (
    <FarmTimeZone value={current?.timezone ?? 'Asia/Kolkata'}>
      <Doubt>
        <Suspense>
          <Outlet />
        </Suspense>
      </Doubt>
    </FarmTimeZone>
  );
}
