// /sidebar-demo
import { SidebarDemo } from '../features/shell/SidebarDemo';

export function Component() {
  return <SidebarDemo />;
}
