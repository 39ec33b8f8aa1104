// The secret of this browser. The server lets a device that has signed in before go on when strangers have used up the tries
// of its person. It says nothing of who uses it, and stays when somebody signs out.
const KEY = 'device';
const BYTES = 32;

/** The secret, made at the first use. */
export function deviceSecret(): string {
  const kept = localStorage.getItem(KEY);
  if (kept) return kept;
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  const made = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  localStorage.setItem(KEY, made);
  return made;
}
