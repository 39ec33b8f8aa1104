import { describe, expect, it } from 'vitest';
import { readMac } from './controllers';

describe('a MAC', () => {
  it.each([
    ['AA:BB:CC:DD:EE:FF', 'AABBCCDDEEFF'],
    ['aa-bb-cc-dd-ee-ff', 'AABBCCDDEEFF'],
    ['aabbccddeeff', 'AABBCCDDEEFF'],
    [' 001122334455 ', '001122334455'],
    ['AA:BB:CC:DD:EE', undefined],
    ['AA:BB:CC:DD:EE:FF:00', undefined],
    ['AA:BB-CC:DD:EE:FF', undefined],
    ['AABBCCDDEEFG', undefined],
    ['AABBCCDDEEF', undefined],
    ['', undefined],
  ])('%s is %s', (typed, mac) => expect(readMac(typed)).toBe(mac));
});
