import { Failure, missing } from '../../domain/failure.ts'
import type { Integration } from '../../domain/integration.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Settings } from '../../domain/settings.ts'
import { grantedScopes, type TestOutcome } from '../../domain/test-mode/test-mode.ts'

type TestAuthorizationRequest = {
  integration: string
  redirectUri: string
  state: string
  scopes: string[]
  challenge: string
  outcome: TestOutcome | undefined
}

type TestAuthorizationAnswer = { app: Integration; callbackUrl: string | undefined }

export function authorizeInTestMode(
  { integrations, testProvider, now }: Pick<Ports, 'integrations' | 'testProvider' | 'now'>,
  { publicUrl }: Settings,
  { integration: id, redirectUri, state, scopes, challenge, outcome }: TestAuthorizationRequest,
) {
  const integration = integrations.find(id)
  if (!integration) throw missing('integration')
  if (redirectUri !== `${publicUrl}/oauth/callback/${id}`) {
    throw new Failure('input_invalid', 'This page is for test mode links. Start one from its connect page.')
  }
  const answer = (parameters: Record<string, string>): TestAuthorizationAnswer => ({
    app: integration,
    callbackUrl: `${redirectUri}?${new URLSearchParams({ ...parameters, state })}`,
  })
  if (outcome === undefined) return { app: integration, callbackUrl: undefined }
  if (outcome === 'denied') return answer({ error: 'access_denied' })
  const grant = { outcome, scopes: grantedScopes(outcome, scopes), grantedAt: now().getTime() }
  return answer({ [integration.codeParameter]: testProvider.codeFor(grant, { challenge, redirectUri }) })
}
