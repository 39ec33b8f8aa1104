// Writes src/api/schema.ts from the server's OpenAPI document. The server owns the document; nobody edits the result.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';

export const documentPath = process.env.HARIT_OPENAPI
  ? new URL(process.env.HARIT_OPENAPI, `file://${process.cwd()}/`)
  : new URL('../../api/openapi.json', import.meta.url);
export const schemaPath = new URL('../src/api/schema.ts', import.meta.url);

/** The TypeScript text that belongs to an OpenAPI document. */
export async function schemaText(document = documentPath) {
  const text = await readFile(document, 'utf8');
  // Calls are named by their path here; without the ids their types are written in place.
  const described = JSON.parse(text, (key, value) => (key === 'operationId' ? undefined : value));
  const ast = await openapiTS(described);
  return `// Generated from the server's OpenAPI document by \`npm run generate\`. Do not edit.\n\n${astToString(ast)}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await writeFile(schemaPath, await schemaText());
  console.log(`wrote ${fileURLToPath(schemaPath)}`);
}
