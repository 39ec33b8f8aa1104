// /sidebar-demo
import { SidebarDemo } from '../features/shell/SidebarDemo';
import { activeItem, minimalTree, specifiedTree } from './menu';

export default function Demo() {
  return <SidebarDemo full={specifiedTree} minimal={minimalTree} activeItem={activeItem} />;
}
