// Hands a file to whoever the person chooses; where the browser cannot, it is saved.
export async function shareFile(file: File): Promise<void> {
  if (navigator.canShare?.({ files: [file] }) && matchMedia('(pointer: coarse)').matches) {
    // Who closes the choice again wanted nothing.
    await navigator.share({ files: [file] }).catch(() => {});
    return;
  }
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** A name that every file system takes. */
export function fileName(...parts: string[]): string {
  return parts.map((part) => part.replaceAll(/[^\p{L}\p{M}\p{N}.-]+/gu, '-')).join('-');
}
