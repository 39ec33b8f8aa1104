import { encode } from 'uqr';
import { expect, it, vi } from 'vitest';
import { codeReader } from './reader';

/** A picture of a code, as a canvas gives it: `pixels` for each of its squares. */
function picture(text: string, pixels: number): ImageData {
  const { data, size } = encode(text, { ecc: 'M', border: 4 });
  const side = size * pixels;
  const rgba = new Uint8ClampedArray(side * side * 4);
  for (let y = 0; y < side; y += 1)
    for (let x = 0; x < side; x += 1) {
      const dark = data[Math.floor(y / pixels)]?.[Math.floor(x / pixels)] === true;
      rgba.set([dark ? 0 : 255, dark ? 0 : 255, dark ? 0 : 255, 255], (y * side + x) * 4);
    }
  return { data: rgba, width: side, height: side } as ImageData;
}

it('reads a code without the help of the browser', async () => {
  const shown = picture('HARIT:AABBCCDDEEFF', 6);
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue({
    drawImage: () => {},
    getImageData: () => shown,
  } as unknown as null);
  const read = await codeReader();
  const { width, height } = shown;
  expect(await read({ width, height } as ImageBitmap)).toEqual(['HARIT:AABBCCDDEEFF']);
  shown.data.fill(255);
  expect(await read({ width, height } as ImageBitmap)).toEqual([]);
});
