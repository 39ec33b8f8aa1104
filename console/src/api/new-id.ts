// Ids that are made here, for what is to be known before the server answers.

/** Not crypto.randomUUID: a farm's own server is often reached without TLS, and there browsers do not have it. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
