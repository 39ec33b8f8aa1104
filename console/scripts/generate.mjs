// Writes src/api/schema.ts, src/i18n/sensor-types.ts and src/i18n/derived-kinds.ts from the server's OpenAPI document. The server owns the document; nobody edits the result.
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

export const sensorTypesPath = new URL('../src/i18n/sensor-types.ts', import.meta.url);

/** The TypeScript text of the table of sensor types, which the document carries with their names. */
export async function sensorTypesText(document = documentPath) {
  const { components } = JSON.parse(await readFile(document, 'utf8'));
  const rows = components.schemas.SensorType['x-table'].map(({ type, alertName, unit, min, max }) => {
    const text = (value) => `'${value}'`;
    return `  { type: ${text(type)}, alertName: ${text(alertName)}, unit: ${text(unit)}, min: ${min}, max: ${max} },\n`;
  });
  return `// Generated from the server's OpenAPI document by \`npm run generate\`. Do not edit.

/** What can be measured, in the order in which it is listed: its name in alerts, its unit, the range of rules' values. */
export const sensorTable = [
${rows.join('')}] as const;
`;
}

export const derivedKindsPath = new URL('../src/i18n/derived-kinds.ts', import.meta.url);

/** The TypeScript text of the table of what derived sensors are computed by, which the document carries with what each needs. */
export async function derivedKindsText(document = documentPath) {
  const { components } = JSON.parse(await readFile(document, 'utf8'));
  const quoted = (words) => words.map((word) => `'${word}'`).join(', ');
  const list = (items) =>
    items.length > 1
      ? ` [\n${items.map((item) => `      ${item},\n`).join('')}    ]`
      : ` [${items.join('')}]`;
  const rows = components.schemas.DerivedKind['x-table'].map(({ kind, type, inputs, constants }) => {
    const needs = inputs.map(({ name, types }) => `{ name: '${name}', types: [${quoted(types)}] }`);
    const numbers = constants.map(
      ({ name, default: usual, min, max }) =>
        `{ name: '${name}', usual: ${usual}, min: ${min}, max: ${max} }`,
    );
    return `  {\n    kind: '${kind}',\n    type: '${type}',\n    inputs:${list(needs)},\n    constants:${list(numbers)},\n  },\n`;
  });
  return `// Generated from the server's OpenAPI document by \`npm run generate\`. Do not edit.

/** By what derived sensors are computed: what each gives, the inputs that it needs (of any type where none is said) and its numbers. */
export const derivedKinds = [
${rows.join('')}] as const;
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await writeFile(schemaPath, await schemaText());
  await writeFile(sensorTypesPath, await sensorTypesText());
  await writeFile(derivedKindsPath, await derivedKindsText());
  for (const path of [schemaPath, sensorTypesPath, derivedKindsPath])
    console.log(`wrote ${fileURLToPath(path)}`);
}
