// Pictures of a QR code: a photo as somebody takes one (PNG), and what a camera sees (a video that Chromium plays in place of one).
import { deflateSync } from 'node:zlib';
import { encode } from 'uqr';

/** The code, dark on white, in the middle of a picture: one byte a pixel. */
function grey(text, { width, height, pixels }) {
  const { data, size } = encode(text, { ecc: 'M', border: 4 });
  const left = Math.floor((width - size * pixels) / 2);
  const top = Math.floor((height - size * pixels) / 2);
  const picture = Buffer.alloc(width * height, 200);
  for (let y = 0; y < size * pixels; y += 1)
    for (let x = 0; x < size * pixels; x += 1)
      picture[(top + y) * width + left + x] = data[Math.floor(y / pixels)][Math.floor(x / pixels)] ? 20 : 235;
  return picture;
}

/** A video of it, without end: frames as they are, brightness and no colour. */
export function videoOf(text) {
  const look = { width: 640, height: 480, pixels: 8 };
  const picture = grey(text, look);
  const colours = Buffer.alloc(picture.length / 2, 128);
  const frame = Buffer.concat([Buffer.from('FRAME\n'), picture, colours]);
  const head = Buffer.from(`YUV4MPEG2 W${look.width} H${look.height} F10:1 Ip A1:1 C420mpeg2\n`);
  return Buffer.concat([head, frame, frame]);
}

function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc(body), body.length + 4);
  return out;
}

function crc(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (sum ^ 0xffffffff) >>> 0;
}

/** A photo of it. */
export function photoOf(text) {
  const look = { width: 900, height: 1_200, pixels: 9 };
  const picture = grey(text, look);
  const rows = Array.from({ length: look.height }, (_, y) =>
    Buffer.concat([Buffer.from([0]), picture.subarray(y * look.width, (y + 1) * look.width)]),
  );
  const head = Buffer.alloc(13);
  head.writeUInt32BE(look.width, 0);
  head.writeUInt32BE(look.height, 4);
  // Eight bits of grey.
  head[8] = 8;
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
