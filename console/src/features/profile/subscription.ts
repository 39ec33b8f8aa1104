// This browser's own part of Web Push: whether it can, whether it may, and its subscription at its push service.

/** What stands in the way here. */
export type Hindrance = 'unsupported' | 'denied';

export class NotHere extends Error {
  readonly why: Hindrance;

  constructor(why: Hindrance) {
    super(why);
    this.why = why;
  }
}

/** Browsers have it behind TLS; on an iPhone only what was put on the home screen has it. */
export function hindrance(): Hindrance | undefined {
  if (!('serviceWorker' in navigator) || !('PushManager' in window) || !('Notification' in window))
    return 'unsupported';
  return Notification.permission === 'denied' ? 'denied' : undefined;
}

/** Asks the person, then the push service; to be called from a tap. */
export async function subscribe(applicationServerKey: string): Promise<PushSubscription> {
  const before = hindrance();
  if (before) throw new NotHere(before);
  if ((await Notification.requestPermission()) !== 'granted') throw new NotHere('denied');
  const { pushManager } = await navigator.serviceWorker.ready;
  // One for another key, of a server that was set up anew, cannot be used and would be in the way.
  await (await pushManager.getSubscription())?.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
}

/** The browser takes no more from its push service; what it cannot end the server ends. */
export async function unsubscribe(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const worker = await navigator.serviceWorker.getRegistration();
  await (await worker?.pushManager?.getSubscription())?.unsubscribe();
}
