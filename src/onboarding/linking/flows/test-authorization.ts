import { Failure, missing } from '../../domain/failure.ts'
import type { Clock, Integrations } from '../../domain/ports/shared.ts'
import type { TestProvider } from '../../domain/ports/test-mode.ts'
import type { Settings } from '../../domain/settings.ts'
import { grantedScopes, type TestOutcome } from '../../domain/test-mode/test-mode.ts'

/** An authorization request (RFC 6749 §4.1.1) to the built-in provider, and what it was told to do. */
export type TestAuthorizationRequest = {
  integration: string
  redirectUri: string
  state: string
  scopes: string[]
  challenge: string
  outcome: TestOutcome | undefined
}

/** Undefined `callbackUrl`: the user is asked. */
export type TestAuthorizationAnswer = { app: string; callbackUrl: string | undefined }

type Needs = { integrations: Integrations; testProvider: TestProvider; now: Clock }

/** The authorization endpoint of test mode. It sends browsers to our own callback and nowhere else. */
export const authorizeInTestMode =
  ({ integrations, testProvider, now }: Needs, { publicUrl }: Pick<Settings, 'publicUrl'>) =>
  ({ integration: id, redirectUri, state, scopes, challenge, outcome }: TestAuthorizationRequest) => {
    const integration = integrations.find(id)
    if (!integration) throw missing('integration')
    if (redirectUri !== `${publicUrl}/oauth/callback/${id}`) {
      throw new Failure('input_invalid', 'This page is for links of test mode: start one from its connect page.')
    }
    const answer = (parameters: Record<string, string>): TestAuthorizationAnswer => ({
      app: integration.displayName,
      callbackUrl: `${redirectUri}?${new URLSearchParams({ ...parameters, state })}`,
    })
    if (outcome === undefined) return { app: integration.displayName, callbackUrl: undefined }
    if (outcome === 'denied') return answer({ error: 'access_denied' })
    const grant = { outcome, scopes: grantedScopes(outcome, scopes), grantedAt: now().getTime() }
    return answer({ [integration.codeParameter]: testProvider.codeFor(grant, { challenge, redirectUri }) })
  }
