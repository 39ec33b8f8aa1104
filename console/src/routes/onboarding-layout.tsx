// The layout of onboarding.

import { useQuery } from '@tanstack/react-query';
import { useLayoutEffect } from 'react';
import { Outlet } from 'react-router';
import { meQuery } from '../api/me';
import { SetupFrame } from '../features/onboarding/SetupFrame';
import { endStart } from './start';

export function Component() {
  useLayoutEffect(endStart, []);
  // Somebody who finished onboarding elsewhere is led on by the guard.
  useQuery(meQuery);
  return (
    <SetupFrame>
      <Outlet />
    </SetupFrame>
  );
}
