// The api as the tests ask it, beside the browser.

/** Somebody of the demo's farm, by the beginning of their address. */
export const account = (name) => ({ contact: `${name}@demo.harit`, password: 'polyhouse-demo' });

/** What lies below the demo's farm. */
export const FARM = '/api/farms/demo-farm-1';

/** Opens everybody's stops, as the owner. */
export async function openStops(ask) {
  const { stops } = await ask('owner', 'GET', `${FARM}/stop`);
  for (const { by } of stops)
    await ask('owner', 'POST', `${FARM}/stop/open`, {
      scope: { type: 'farm' },
      userId: by.user_id,
      nobodyAtTheMachine: true,
    });
}

/** Asks the api, as the owner of a token if there is one, and gives its answer; whatever is not a yes is thrown. */
export async function askApi(base, token, method, path, body) {
  const response = await fetch(`${base}${path}`, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return text ? JSON.parse(text) : undefined;
}

/** Signs in by password: a token and its user. */
export const signInByApi = (base, somebody) => askApi(base, undefined, 'POST', '/auth/login', somebody);

/** Registers somebody new; the answer is what a sign-in answers. */
export const registerByApi = (base, fields) => askApi(base, undefined, 'POST', '/auth/register', fields);

/** The latest message of the demo's outbox to a contact. */
export async function fromOutbox(base, to, kind, within = 5_000) {
  const deadline = Date.now() + within;
  while (Date.now() < deadline) {
    const { messages } = await (await fetch(`${base}/api/demo/outbox`)).json();
    const found = messages.find((message) => message.to === to && message.kind === kind);
    if (found) return found;
    await new Promise((wake) => setTimeout(wake, 100));
  }
  throw new Error(`no ${kind} for ${to} in the outbox`);
}
