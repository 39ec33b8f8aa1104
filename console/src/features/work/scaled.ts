// A photo as it is sent: at most 1280 pixels long and 400 KiB large, whatever the camera makes.

const LONGEST = 1_280;
const MAX_BYTES = 400 * 1_024;
/** From good to just readable. */
const QUALITIES = [0.8, 0.6, 0.4, 0.25];

/** The size of a picture whose longer side is at most so long. */
export function fitted(width: number, height: number): { width: number; height: number } {
  const scale = Math.min(1, LONGEST / Math.max(width, height, 1));
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

/** The picture as a JPEG; undefined where it is none, or stays too large. */
export async function scaled(file: Blob): Promise<Blob | undefined> {
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (!bitmap) return undefined;
  const canvas = Object.assign(document.createElement('canvas'), fitted(bitmap.width, bitmap.height));
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  for (const quality of QUALITIES) {
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg', quality));
    if (blob && blob.size <= MAX_BYTES) return blob;
  }
  return undefined;
}
