import { expect, it } from 'vitest';
import { type AssetDraft, assetBodies, assetProblems } from './asset';

const draft = (fields: Partial<AssetDraft> = {}): AssetDraft => ({
  key: 1,
  type: 'POLYHOUSE',
  name: '',
  macid: 'AA:BB:CC:DD:EE:01',
  ...fields,
});

it('finds what is wrong, asset by asset', () => {
  expect(
    assetProblems([
      draft(),
      draft({ type: '', macid: ' ' }),
      draft({ macid: 'nonsense' }),
      draft({ macid: 'aabbccddee01' }),
      draft({ macid: 'AABBCCDDEE02' }),
    ]),
  ).toEqual([
    {},
    { type: 'error.assetType', macid: 'error.macRequired' },
    { macid: 'error.macInvalid' },
    { macid: 'error.macTwice' },
    {},
  ]);
});

it('leaves a blank name to the server', () => {
  expect(assetBodies([draft({ name: '  ' }), draft({ type: 'FERTIGATION', name: ' Tank ' })])).toEqual([
    { type: 'POLYHOUSE', macid: 'AA:BB:CC:DD:EE:01' },
    { type: 'FERTIGATION', macid: 'AA:BB:CC:DD:EE:01', name: 'Tank' },
  ]);
});
