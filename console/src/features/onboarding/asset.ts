// The assets being registered and what is wrong with them (spec 5).
import type { ParseKeys } from 'i18next';
import { readMac } from '../../api/controllers';
import type { components } from '../../api/schema';

export type AssetType = components['schemas']['AssetKind'];

/** An asset as typed so far; `key` only tells the rows of the form apart. */
export interface AssetDraft {
  key: number;
  type: AssetType | '';
  name: string;
  macid: string;
}

export interface AssetProblems {
  type?: ParseKeys;
  macid?: ParseKeys;
}

/** The problems of each asset, in their order. */
export function assetProblems(drafts: readonly AssetDraft[]): AssetProblems[] {
  const seen = new Set<string>();
  return drafts.map((draft) => {
    const problems: AssetProblems = {};
    if (draft.type === '') problems.type = 'error.assetType';
    const mac = readMac(draft.macid);
    if (draft.macid.trim() === '') problems.macid = 'error.macRequired';
    else if (mac === undefined) problems.macid = 'error.macInvalid';
    else if (seen.has(mac)) problems.macid = 'error.macTwice';
    else seen.add(mac);
    return problems;
  });
}

/** What the server is told; it names what has no name. */
export function assetBodies(drafts: readonly AssetDraft[]): components['schemas']['NewAsset'][] {
  return drafts.flatMap(({ type, name, macid }) =>
    type === '' ? [] : [{ type, macid: macid.trim(), ...(name.trim() && { name: name.trim() }) }],
  );
}
