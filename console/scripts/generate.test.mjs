// @vitest-environment node
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import {
  derivedKindsPath,
  derivedKindsText,
  schemaPath,
  schemaText,
  sensorTypesPath,
  sensorTypesText,
} from './generate.mjs';

it('src/api/schema.ts is what the OpenAPI document says: run npm run generate', async () => {
  expect(await readFile(schemaPath, 'utf8')).toBe(await schemaText());
});

it('src/i18n/sensor-types.ts has the rows that the document carries: run npm run generate', async () => {
  expect(await readFile(sensorTypesPath, 'utf8')).toBe(await sensorTypesText());
});

it('src/i18n/derived-kinds.ts has the rows that the document carries: run npm run generate', async () => {
  expect(await readFile(derivedKindsPath, 'utf8')).toBe(await derivedKindsText());
});
