// Fetches the fonts without drawing anything with them.
const FILES = import.meta.glob<string>('./fonts/anek-{latin,devanagari}-*.woff2', {
  eager: true,
  query: '?url',
  import: 'default',
});

/** Resolves when the browser keeps the fonts that pages in `language` are written in. */
export async function keepFonts(language: string): Promise<void> {
  const wanted = Object.entries(FILES).filter(([name]) => language !== 'en' || name.includes('latin'));
  await Promise.all(
    wanted.map(async ([name, url]) => {
      const answer = await fetch(url, { priority: 'low' });
      if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
      // A body that nobody reads is not kept.
      await answer.arrayBuffer();
    }),
  );
}
