// What can be started from the dashboard, and what it takes.
import type { Icon } from '@tabler/icons-react';
import type { ParseKeys } from 'i18next';
import AddAlert from '~icon/BellPlus';
import AddController from '~icon/Cpu';
import AddTask from '~icon/Plus';
import AddRule from '~icon/Robot';
import Invite from '~icon/Send';
import AddUser from '~icon/UserPlus';
import type { Permission } from '../api/permissions';

export const quickActions: readonly { label: ParseKeys; icon: Icon; to: string; permission: Permission }[] = [
  { label: 'quick.addAlert', icon: AddAlert, to: '/alerts?new', permission: 'alerts:write' },
  { label: 'quick.addTask', icon: AddTask, to: '/tasks?new', permission: 'tasks:write' },
  { label: 'quick.addUser', icon: AddUser, to: '/users?new', permission: 'users:write' },
  { label: 'quick.invite', icon: Invite, to: '/users?new-invite', permission: 'invites:write' },
  { label: 'quick.addRule', icon: AddRule, to: '/automation/rules?new', permission: 'rules:write' },
  {
    label: 'quick.addController',
    icon: AddController,
    to: '/automation/controllers?new',
    permission: 'controllers:write',
  },
];
