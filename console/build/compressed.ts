// Leaves the compressed forms of each file beside it, as small as they can be made: the server sends them as they are
// (api/src/serve/assets.rs) and compresses nothing of the console while somebody waits.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

/** What is worth it: fonts and pictures are compressed already, and a short file fits one packet anyway. */
const TEXT = /\.(html|js|css|svg|json|webmanifest)$/;
const WORTH_BYTES = 500;

export function compressed(): Plugin {
  let dist = '';
  return {
    name: 'harit-compressed',
    apply: 'build',
    enforce: 'post',
    configResolved(config) {
      dist = resolve(config.root, config.build.outDir);
    },
    async closeBundle() {
      const files = readdirSync(dist, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && TEXT.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((file) => !file.includes('/.vite/'));
      await Promise.all(files.map(leaveForms));
    },
  };
}

async function leaveForms(file: string): Promise<void> {
  const bytes = readFileSync(file);
  if (bytes.length < WORTH_BYTES) return;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  const forms = {
    br: await promisify(brotliCompress)(bytes, { params }),
    gz: await promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
  };
  for (const [suffix, form] of Object.entries(forms)) {
    if (form.length < bytes.length) writeFileSync(`${file}.${suffix}`, form);
  }
}
