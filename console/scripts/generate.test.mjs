// @vitest-environment node
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { documentPath, schemaPath, schemaText } from './generate.mjs';

it('src/api/schema.ts is what the OpenAPI document says: run npm run generate', async () => {
  expect(await readFile(schemaPath, 'utf8')).toBe(await schemaText());
});

it('no call is described by hand that the document describes', async () => {
  const { paths } = JSON.parse(await readFile(documentPath, 'utf8'));
  const pending = await readFile(new URL('../src/api/pending.ts', import.meta.url), 'utf8');
  const byHand = [...pending.matchAll(/^ {2}'(\/[^']+)':/gm)].map(([, path]) => path);
  expect(byHand.length).toBeGreaterThan(0);
  expect(byHand.filter((path) => path in paths)).toEqual([]);
});
