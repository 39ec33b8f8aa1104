// The layout of the sign-in pages.
import { useLayoutEffect } from 'react';
import { Outlet } from 'react-router';
import { SignInFrame } from '../features/sign-in/SignInFrame';
import { endStart } from './start';

export function Component() {
  useLayoutEffect(endStart, []);
  return (
    <SignInFrame>
      <Outlet />
    </SignInFrame>
  );
}
