import type { TestGrant } from '../test-mode/test-mode.ts'

/** What of an authorization request has to fit the token request (RFC 7636 §4.6, RFC 6749 §4.1.3). */
export type TestAuthorization = { challenge: string; redirectUri: string }

/** The built-in provider's authorization endpoint; its token endpoint is reached as any provider's is. */
export type TestProvider = { codeFor(grant: TestGrant, authorization: TestAuthorization): string }
