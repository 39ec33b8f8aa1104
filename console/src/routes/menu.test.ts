import { describe, expect, it } from 'vitest';
import { isGroup, type NavNode } from '../features/shell/tree';
import { farmAs } from '../test-console';
import { activeItem, barItems, specifiedTree, treeFor } from './menu';

describe('activeItem', () => {
  it.each([
    ['/dashboard', 'dashboard'],
    ['/polyhouses', 'polyhouses'],
    ['/polyhouses/zones', 'zones'],
    ['/polyhouses/nurseries', 'nurseries'],
    ['/polyhouses/lifecycles', 'lifecycles'],
    ['/polyhouses/derived', 'derived'],
    ['/automation/groups', 'manual'],
    ['/reservoirs', 'reservoirs'],
    ['/inventory', 'inventory'],
    ['/tasks', 'tasks'],
    ['/templates', 'templates'],
    ['/users', 'users'],
    ['/sales/reports', 'sales'],
    ['/sales/orders', 'sales'],
    ['/sales/anything/else', 'sales'],
    ['/salesmen', 'dashboard'],
    ['/alerts', 'notifications'],
    ['/alerts/1764000000000-hot', 'notifications'],
    ['/notifications', 'notifications'],
    ['/automation/rules', 'rules'],
    ['/history', 'history'],
    ['/automation/controllers/found', 'controllers'],
    ['/start', 'dashboard'],
    ['/tasks/', 'tasks'],
    ['/reports', 'sales'],
    ['/', 'dashboard'],
    ['/no/such/page', 'dashboard'],
  ])('%s highlights %s', (path, id) => {
    expect(activeItem(path)).toBe(id);
  });
});

const draw = (nodes: NavNode[], depth = 0): string[] =>
  nodes.flatMap((node) => [
    `${'  '.repeat(depth)}${node.id} ${node.to ?? '-'}`,
    ...(isGroup(node) ? draw(node.items, depth + 1) : []),
  ]);

it('leads to every page, and a viewer to those that he may see', () => {
  const all = [
    'farms -',
    '  dashboard /dashboard',
    '  polyhouses /polyhouses',
    '    zones /polyhouses/zones',
    '    nurseries /polyhouses/nurseries',
    '    lifecycles /polyhouses/lifecycles',
    '    derived /polyhouses/derived',
    '  reservoirs /reservoirs',
    '  day /day',
    '  letter /letter',
    '  history /history',
    '  inventory /inventory',
    '  tasks /tasks',
    '  harvests /harvests',
    'templates /templates',
    'users /users',
    'sales -',
    '  reports /sales/reports',
    '  orders /sales/orders',
    '  expenses /sales/expenses',
    'automation -',
    '  rules /automation/rules',
    '  setpoints /automation/setpoints',
    '  manual /automation/manual',
    '  holders /automation/holders',
    '  effects /automation/effects',
    '  logs /automation/logs',
    '  outages /automation/outages',
    '  controllers /automation/controllers',
    'notifications /notifications',
    'deliveries /deliveries',
    'tokens /tokens',
  ];
  expect(draw(treeFor(farmAs('OWNER')))).toEqual(all);
  expect(draw(treeFor(farmAs('VIEWER')))).toEqual(
    all.filter((item) => !/sales|controllers|deliveries/.test(item)),
  );
});

it('has the tree of the specification', () => {
  expect(draw(specifiedTree)).toEqual([
    'farms -',
    '  dashboard /dashboard',
    '  polyhouses /polyhouses',
    '    zones /polyhouses/zones',
    '    nurseries /polyhouses/nurseries',
    '    lifecycles /polyhouses/lifecycles',
    '  reservoirs /reservoirs',
    '  inventory /inventory',
    '  tasks /tasks',
    'templates /templates',
    'users /users',
    'sales -',
    '  reports /sales/reports',
    '  orders /sales/orders',
    'automation -',
    '  rules /automation/rules',
    '  manual /automation/manual',
    '  logs /automation/logs',
    'notifications /notifications',
  ]);
});

it("has four pages at the foot of a phone's screen", () => {
  expect(barItems.map(({ to, label }) => `${label} ${to}`)).toEqual([
    'nav.today /dashboard',
    'nav.polyhouses /polyhouses',
    'nav.rules /automation/rules',
    'nav.tasks /tasks',
  ]);
});
