// Templates as they are asked for: by their page, and by the form of a new cycle.
import { calls, type Schemas } from './kind';

export const templateCalls = {
  list: 'templates',
  calls: calls<Schemas['Template']>(
    '/api/farms/{farmId}/templates',
    '/api/farms/{farmId}/templates/{templateId}',
    'templateId',
  ),
};
