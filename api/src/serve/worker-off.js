// Takes the console's worker off this device, and what it kept. The open page goes on, and is not loaded anew.
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => {
  const gone = async () => {
    // From here on the worker before it is asked for nothing that it would keep.
    await self.clients.claim();
    for (const name of await caches.keys()) if (name.startsWith('harit-')) await caches.delete(name);
    await self.registration.unregister();
  };
  event.waitUntil(gone());
});
