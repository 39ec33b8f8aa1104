// An item of the collapsed navigation: an icon, or a flyout of a group's pages.
import '@mantine/core/styles/Menu.css';
import '@mantine/core/styles/Tooltip.css';
import { Menu, Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from '../../screen/Link';
import { NavCount } from './NavCount';
import { isHere } from './SideNav';
import classes from './SideNav.module.css';
import { contains, isGroup, type NavGroup, type NavId, type NavLeaf, type NavNode } from './tree';

/** What is on screen. */
interface Here {
  active: NavId;
  pathname: string;
  farmId: string | undefined;
}

export function CollapsedNode({ node, ...here }: { node: NavNode } & Here) {
  // The farm's own items stay one tap away; only the other groups become flyouts.
  if (node.id === 'farms' && isGroup(node)) {
    return node.items.map((item) => <CollapsedNode key={item.id} node={item} {...here} />);
  }
  return <li>{isGroup(node) ? <Flyout group={node} {...here} /> : <IconLink leaf={node} {...here} />}</li>;
}

function IconLink({ leaf, ...shown }: { leaf: NavLeaf } & Here) {
  const { t } = useTranslation();
  const here = isHere(shown, leaf.id, leaf.to);
  return (
    <Tooltip label={t(leaf.label)} position="right">
      <Link
        className={classes['icon']}
        to={leaf.to}
        data-active={here}
        aria-current={here ? 'page' : undefined}
        aria-label={t(leaf.label)}
      >
        <leaf.icon size={24} aria-hidden />
        <NavCount id={leaf.id} farmId={shown.farmId} />
      </Link>
    </Tooltip>
  );
}

function Flyout({ group, active, farmId }: { group: NavGroup } & Here) {
  const { t } = useTranslation();
  const marked = active === group.id || contains(group, active);
  const pages: NavLeaf[] = [
    ...(group.to ? [{ id: group.id, label: group.label, icon: group.icon, to: group.to }] : []),
    ...group.items.filter((item): item is NavLeaf => !isGroup(item)),
  ];
  return (
    <Menu position="right-start" shadow="md" withinPortal>
      <Menu.Target>
        <button type="button" className={classes['icon']} data-active={marked} aria-label={t(group.label)}>
          <group.icon size={24} aria-hidden />
          <NavCount id={group.id} farmId={farmId} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t(group.label)}</Menu.Label>
        {pages.map((leaf) => (
          <Menu.Item
            key={leaf.id}
            component={Link}
            to={leaf.to}
            leftSection={<leaf.icon size={20} aria-hidden />}
          >
            {t(leaf.label)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
