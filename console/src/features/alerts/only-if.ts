// What an alert asks beside its conditions, as far as the form has words for it: by night, or while a device runs.
import type { Alert } from './alert';

type Node = NonNullable<Alert['only_if']>;
/** `device:ID` while that runs; `other` is what the form has no words for, and keeps. */
export type OnlyIf = 'always' | 'night' | 'other' | `device:${string}`;

/** A machine needs a moment until what it does can be seen. */
const RUNS_FOR_SEC = 60;
const NIGHT = {
  time: { from: { sun: 'sunset', offset_min: 0 }, to: { sun: 'sunrise', offset_min: 0 } },
  hold_sec: 0,
} satisfies Node;

function runs(device: string): Node {
  return { device, is: 'on', hold_sec: RUNS_FOR_SEC };
}

/** Whether a node says nothing but this: fields that are missing or null say nothing, and neither does a hold of 0. */
function says(node: Node, wanted: Node): boolean {
  const plain = ({ hold_sec, time, ...rest }: Node) => {
    const said = Object.entries(rest).filter(([, value]) => value !== null && value !== undefined);
    const moment = (at: unknown) => (typeof at === 'object' ? { offset_min: 0, ...at } : at);
    return JSON.stringify([
      said.sort(([a], [b]) => a.localeCompare(b)),
      hold_sec || 0,
      time ? [moment(time.from), moment(time.to)].map((at) => Object.entries(at as object).sort()) : null,
    ]);
  };
  return plain(node) === plain(wanted);
}

/** What the form shows of it. */
export function onlyIfOf(node: Alert['only_if']): OnlyIf {
  if (!node) return 'always';
  if (says(node, NIGHT)) return 'night';
  const { device } = node;
  return device && says(node, runs(device)) ? `device:${device}` : 'other';
}

/** What the document says; `kept` is what it said before. */
export function nodeOf(choice: OnlyIf, kept: Alert['only_if']): Alert['only_if'] {
  if (choice === 'always') return null;
  if (choice === 'night') return NIGHT;
  if (choice === 'other') return kept ?? null;
  return runs(choice.slice('device:'.length));
}
