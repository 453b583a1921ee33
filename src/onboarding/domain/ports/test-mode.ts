import type { TestGrant } from '../test-mode/test-mode.ts'

/** Must match in the token request (RFC 7636 §4.6, RFC 6749 §4.1.3). */
type TestAuthorization = { challenge: string; redirectUri: string }

/** Authorization endpoint of the built-in provider. Its token endpoint is called like any provider's. */
export type TestProvider = { codeFor(grant: TestGrant, authorization: TestAuthorization): string }
