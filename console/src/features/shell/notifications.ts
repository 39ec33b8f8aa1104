// What the person is told: loading it, marking it read, clearing it away. All of it is their own, so what they do shows at
// once and the server's answer follows.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../../api/client';
import { keys } from '../../api/keys';
import type { components } from '../../api/schema';
import type { Language } from '../../i18n/languages';

type Schemas = components['schemas'];
export type Notifications = Schemas['Notifications'];
export type Notification = Schemas['Notification'];
export type NotificationType = Schemas['NotificationType'];

/** In case the live connection is down. */
const RELOAD_MS = 30_000;

/** The server writes the texts in the language of the page: another language is another answer. */
export function notificationsQuery(farmId: string, language: Language) {
  return queryOptions({
    queryKey: [...keys.notifications(farmId), language],
    queryFn: () => answer(api.GET('/api/farms/{farmId}/notifications', { params: { path: { farmId } } })),
    refetchInterval: RELOAD_MS,
  });
}

function allRead({ items }: Notifications): Notifications {
  return { unread: 0, items: items.map((item) => ({ ...item, read: true })) };
}

function oneRead({ unread, items }: Notifications, id: string): Notifications {
  const wasUnread = items.some((item) => item.id === id && !item.read);
  return {
    unread: wasUnread ? Math.max(0, unread - 1) : unread,
    items: items.map((item) => (item.id === id ? { ...item, read: true } : item)),
  };
}

/** What a person does to their notifications, shown at once. */
function useDeed<Variables>(
  farmId: string,
  send: (variables: Variables) => Promise<unknown>,
  show: (known: Notifications, variables: Variables) => Notifications,
) {
  const cache = useQueryClient();
  const queryKey = keys.notifications(farmId);
  return useMutation({
    mutationFn: send,
    onMutate: async (variables: Variables) => {
      // An answer that is under way does not know of it yet.
      await cache.cancelQueries({ queryKey });
      cache.setQueriesData<Notifications>({ queryKey }, (known) => known && show(known, variables));
    },
    // Also when it failed: then everything is as it was.
    onSettled: () => cache.invalidateQueries({ queryKey }),
  });
}

export function useMarkRead(farmId: string) {
  return useDeed(
    farmId,
    (notificationId: string) =>
      answer(
        api.POST('/api/farms/{farmId}/notifications/{notificationId}/read', {
          params: { path: { farmId, notificationId } },
        }),
      ),
    oneRead,
  );
}

export function useMarkAllRead(farmId: string) {
  return useDeed<void>(
    farmId,
    () => answer(api.POST('/api/farms/{farmId}/notifications/read-all', { params: { path: { farmId } } })),
    allRead,
  );
}

export function useClearAll(farmId: string) {
  return useDeed<void>(
    farmId,
    () => answer(api.DELETE('/api/farms/{farmId}/notifications', { params: { path: { farmId } } })),
    () => ({ unread: 0, items: [] }),
  );
}
