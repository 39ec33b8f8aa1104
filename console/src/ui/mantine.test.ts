import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const sources = import.meta.glob<string>(['../**/*.ts', '../**/*.tsx'], {
  query: '?raw',
  import: 'default',
  eager: true,
});
const styles = dirname(createRequire(import.meta.url).resolve('@mantine/core/styles/global.css'));
const everywhere = readFileSync(join(import.meta.dirname, 'mantine.css'), 'utf8');

/** The components that a source takes from Mantine. */
function taken(source: string): string[] {
  const names = source.match(/import \{([^}]*)\} from '@mantine\/core';/)?.[1] ?? '';
  return names
    .split(',')
    .map((name) => name.trim().split(' ')[0] ?? '')
    .filter((name) => existsSync(join(styles, `${name}.css`)));
}

// Where another page brings them, the component is right or bare by which page was seen before.
it('brings the styles of each Mantine component with it', () => {
  const bare = Object.entries(sources).flatMap(([path, source]) =>
    taken(source)
      .filter((name) => !`${source}${everywhere}`.includes(`@mantine/core/styles/${name}.css`))
      .map((name) => `${path}: ${name}`),
  );
  expect(bare).toEqual([]);
});
