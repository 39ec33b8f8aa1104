// Calls of the product's specification that the server's OpenAPI document does not describe yet. They are written here by
// hand so that their screens can be wired; as soon as the document has one, the generated type wins (see client.ts) and a
// test asks for the entry here to be removed.

interface JsonPost<Body, Answer> {
  parameters: { query?: never; header?: never; path?: never; cookie?: never };
  post: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': Body } };
    responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': Answer } } };
  };
}

/** Until the document has them. */
export interface PendingPaths<SignedIn> {
  '/auth/send-otp': JsonPost<{ contact: string }, { maskedContact: string }>;
  '/auth/verify-otp': JsonPost<{ contact: string; otp: string }, SignedIn>;
}
