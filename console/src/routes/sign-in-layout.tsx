// The layout of the sign-in pages.
import { Outlet } from 'react-router';
import { SignInFrame } from '../features/sign-in/SignInFrame';

export function Component() {
  return (
    <SignInFrame>
      <Outlet />
    </SignInFrame>
  );
}
