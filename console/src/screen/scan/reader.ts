// Reads the codes in a picture: by the browser where it can, which knows bar codes too; else by a library that knows QR codes.

/** The texts of the codes that are seen in a picture. */
export type CodeReader = (picture: HTMLVideoElement | ImageBitmap) => Promise<readonly string[]>;

/** What boxes carry. */
const FORMATS = ['qr_code', 'data_matrix', 'code_128', 'code_39', 'code_93'];
/** Longest sides, in pixels: a code that fills a picture is read in the small one, one in its corner in the large one. */
const SIZES = [640, 1_280];

/** Not in TypeScript's library. */
interface Detector {
  detect: (picture: CanvasImageSource) => Promise<readonly { rawValue: string }[]>;
}
type DetectorClass = {
  new (options: { formats: string[] }): Detector;
  getSupportedFormats: () => Promise<string[]>;
};

export async function codeReader(): Promise<CodeReader> {
  return (await byBrowser()) ?? (await byLibrary());
}

async function byBrowser(): Promise<CodeReader | undefined> {
  const Detecting = (globalThis as { BarcodeDetector?: DetectorClass }).BarcodeDetector;
  // Some systems have the class and nothing behind it.
  const known = await Detecting?.getSupportedFormats().catch((): string[] => []);
  const formats = FORMATS.filter((format) => known?.includes(format));
  if (!Detecting || !formats.includes('qr_code')) return undefined;
  const detector = new Detecting({ formats });
  return async (picture) => (await detector.detect(picture)).map(({ rawValue }) => rawValue);
}

async function byLibrary(): Promise<CodeReader> {
  const { default: decode } = await import('qr/decode.js');
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d', { willReadFrequently: true });
  return async (picture) => {
    const width = 'videoWidth' in picture ? picture.videoWidth : picture.width;
    const height = 'videoHeight' in picture ? picture.videoHeight : picture.height;
    for (const size of SIZES) {
      const scale = Math.min(1, size / Math.max(width, height, 1));
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
      if (!context || canvas.width === 0 || canvas.height === 0) return [];
      context.drawImage(picture, 0, 0, canvas.width, canvas.height);
      try {
        return [decode(context.getImageData(0, 0, canvas.width, canvas.height))];
      } catch {
        // There is none, or it is too blurred: the library tells by throwing.
      }
      if (scale === 1) break;
    }
    return [];
  };
}
