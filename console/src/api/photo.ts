// Photos as pages show them.

/** Bytes as an address of their own: the server lets pages show no others but its files. */
export function shownAs(bytes: Blob): Promise<string> {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result));
    reader.onerror = () => failed(reader.error ?? new Error('a photo that cannot be read'));
    reader.readAsDataURL(bytes);
  });
}
