// What a phone has beside its browser: the messages of the demo's simulated gateways, and a subscription at its push service.
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import { until } from './browser.mjs';

/** Where the demo's simulated gateways are; the server says it when it is ready. */
export async function gatewaysOf(server) {
  let base;
  await until('the server says where its messages are', () => {
    base = server.log.join('\n').match(/Messages, as phones would show them: (http:\/\/[\d.:]+)/)?.[1];
    return base !== undefined;
  });
  return base;
}

/** The messages that came to the gateways, the first first, that `is` is true of; waits for at least so many. */
export async function came(gateways, is, count = 1, within = 20_000) {
  let found = [];
  await until(
    `${count} messages`,
    async () => {
      const { messages } = await (await fetch(`${gateways}/messages`)).json();
      found = messages.filter(is);
      return found.length >= count;
    },
    within,
  );
  return found;
}

/** A subscription at a simulated push service, and what the browser alone can read (RFC 8291). */
export function subscription(endpoint) {
  const own = createECDH('prime256v1');
  const [p256dh, auth] = [own.generateKeys(), randomBytes(16)];
  const open = ({ raw }) => {
    const body = Buffer.from(raw, 'base64url');
    const [salt, server, sealed] = [body.subarray(0, 16), body.subarray(21, 86), body.subarray(86)];
    const derive = (secret, with_, info, length) =>
      Buffer.from(hkdfSync('sha256', secret, with_, info, length));
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, server]);
    const secret = derive(own.computeSecret(server), auth, info, 32);
    const key = derive(secret, salt, 'Content-Encoding: aes128gcm\0', 16);
    const nonce = derive(secret, salt, 'Content-Encoding: nonce\0', 12);
    const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(sealed.subarray(-16));
    const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
    return plain.subarray(0, -1).toString();
  };
  const keys = { p256dh: p256dh.toString('base64url'), auth: auth.toString('base64url') };
  return { json: { endpoint, expirationTime: null, keys }, open };
}
