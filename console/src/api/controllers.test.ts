import { describe, expect, it } from 'vitest';
import { readBox, readMac } from './controllers';

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

describe('the code on a box', () => {
  it.each([
    ['aabbccddeeff', 'AABBCCDDEEFF'],
    ['AA:BB:CC:DD:EE:FF\n', 'AABBCCDDEEFF'],
    ['HARIT:AABBCCDDEEFF', 'AABBCCDDEEFF'],
    ['harit:aa-bb-cc-dd-ee-ff', 'AABBCCDDEEFF'],
    ['https://box.example/setup?v=2&mac=AA:BB:CC:DD:EE:FF&lot=7', 'AABBCCDDEEFF'],
    ['https://box.example/s?mac=aa%3Abb%3Acc%3Add%3Aee%3Aff', 'AABBCCDDEEFF'],
    ['WIFI:T:WPA;S:harit-box;P:secret;MAC:AABBCCDDEEFF;;', 'AABBCCDDEEFF'],
    ['SN:0042;MACID:AA-BB-CC-DD-EE-FF', 'AABBCCDDEEFF'],
    ['MAC = AABBCCDDEEFF', 'AABBCCDDEEFF'],
    // What only looks like one.
    ['https://box.example/AABBCCDDEEFF', undefined],
    ['MAC:AABBCCDDEEFF00', undefined],
    ['MAC:AA:BB-CC:DD:EE:FF', undefined],
    ['IMEI:490154203237518', undefined],
    ['', undefined],
  ])('%s is of %s', (code, mac) => expect(readBox(code)).toBe(mac));
});
