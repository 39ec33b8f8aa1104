// What each role may start from the dashboard (the server decides; this only keeps what it would refuse out of sight).

import type { Icon } from '@tabler/icons-react';
import type { ParseKeys } from 'i18next';
import AddAlert from '~icon/BellPlus';
import AddTask from '~icon/Plus';
import AddUser from '~icon/UserPlus';
import type { Role } from '../../api/farms';

export interface QuickAction {
  label: ParseKeys;
  icon: Icon;
  to: string;
}

const addAlert: QuickAction = { label: 'quick.addAlert', icon: AddAlert, to: '/alerts?new' };
const addTask: QuickAction = { label: 'quick.addTask', icon: AddTask, to: '/tasks?new' };
const addUser: QuickAction = { label: 'quick.addUser', icon: AddUser, to: '/users?new' };

/** Managers handle alerts and tasks, admins also people, viewers look. */
export const quickActions: Record<Role, QuickAction[]> = {
  OWNER: [addAlert, addTask, addUser],
  ADMIN: [addAlert, addTask, addUser],
  FARM_MANAGER: [addAlert, addTask],
  VIEWER: [],
};
