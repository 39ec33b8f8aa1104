// Calls of the product's specification that the server's OpenAPI document does not describe yet. They are written here by
// hand so that their screens can be wired; as soon as the document has one, the generated type wins (see client.ts) and a
// test asks for the entry here to be removed.

interface Parameters<Path> {
  query?: never;
  header?: never;
  path: Path;
  cookie?: never;
}
interface NoParameters {
  query?: never;
  header?: never;
  path?: never;
  cookie?: never;
}
interface Replies<Answer> {
  200: { headers: Record<string, unknown>; content: { 'application/json': Answer } };
}

/** A call without a body. */
interface Ask<Answer, Path = undefined> {
  parameters: Path extends undefined ? NoParameters : Parameters<Path>;
  requestBody?: never;
  responses: Replies<Answer>;
}

/** A call with a body. */
interface Send<Body, Answer, Path = undefined> {
  parameters: Path extends undefined ? NoParameters : Parameters<Path>;
  requestBody: { content: { 'application/json': Body } };
  responses: Replies<Answer>;
}

type Role = 'OWNER' | 'ADMIN' | 'FARM_MANAGER' | 'VIEWER';

/** What is known of an invite by those who made it. */
interface Invite {
  id: string;
  contact: string;
  role: Role;
  languagePref: string;
}

/** What is known of an invite by whoever holds its link. */
interface OpenInvite {
  contact: string;
  role: Role;
  languagePref: string;
  farmName: string;
  inviter: string;
}

interface Session {
  id: string;
  createdAt: number;
  lastUsedAt: number;
  userAgent: string | null;
  current: boolean;
}

/** Somebody who belongs to a farm. */
interface Person {
  id: string;
  name: string;
  email: string | null;
  phone: string | null;
  role: Role;
  languagePref: string;
  isActive: boolean;
  createdAt: number;
}

interface PersonFields {
  name: string;
  email: string;
  phone?: string | null;
  role: Role;
  languagePref: string;
}

/** Until the document has them. */
export interface PendingPaths<SignedIn, User> {
  '/auth/send-otp': { post: Send<{ contact: string }, { maskedContact: string }> };
  '/auth/verify-otp': { post: Send<{ contact: string; otp: string }, SignedIn> };
  '/auth/register': {
    post: Send<
      {
        name: string;
        email: string;
        mobile?: string;
        address?: string;
        password?: string;
        location?: { lat: number; lng: number };
      },
      SignedIn
    >;
  };
  '/auth/complete-onboarding': { post: Ask<unknown> };
  '/auth/change-password': { post: Send<{ currentPassword: string; newPassword: string }, unknown> };
  '/auth/set-password': { post: Send<{ password: string }, unknown> };
  '/auth/sessions': { get: Ask<{ sessions: Session[] }>; delete: Ask<unknown> };
  '/auth/sessions/{id}': { delete: Ask<unknown, { id: string }> };
  '/onboarding/invite-user': {
    post: Send<{ role: Role; languagePref: string; email?: string; mobile?: string }, { invite: Invite }>;
  };
  '/onboarding/invites': { get: Ask<{ invites: Invite[] }> };
  '/onboarding/invites/{id}': { delete: Ask<unknown, { id: string }> };
  '/onboarding/invite/{token}': { get: Ask<{ invite: OpenInvite }, { token: string }> };
  '/onboarding/invite/{token}/accept': {
    post: Send<{ name: string; password?: string }, { user: User }, { token: string }>;
  };
  '/api/auth/request-email-otp': { post: Send<{ email: string }, unknown> };
  '/api/auth/verify-email-otp': { post: Send<{ email: string; code: string }, SignedIn> };
  '/api/demo/outbox': {
    get: Ask<{ messages: { id: string; to: string; kind: string; code: string | null }[] }>;
  };
  '/api/farms/{farmId}/users': {
    get: Ask<{ users: Person[] }, { farmId: string }>;
    post: Send<PersonFields, { user: Person }, { farmId: string }>;
  };
  '/api/farms/{farmId}/users/{userId}': {
    patch: Send<
      Partial<PersonFields> & { isActive?: boolean },
      { user: Person },
      { farmId: string; userId: string }
    >;
    delete: Ask<unknown, { farmId: string; userId: string }>;
  };
}
