import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { Failure } from '../../../domain/failure.ts'
import type { Deps } from '../../../domain/ports/ports.ts'
import { testOutcomes } from '../../../domain/test-mode/test-mode.ts'
import { type Languages, renderPage } from '../../../http/languages.ts'
import { authorizeInTestMode } from '../../flows/test-authorization.ts'
import { testProviderLocals } from '../locals/test-provider.ts'

const text = z.string().max(4_096)

const Query = z.object({
  redirect_uri: text,
  state: text.min(1),
  scope: text.default(''),
  code_challenge: text.min(1),
  outcome: z.enum(testOutcomes).optional(),
})

/** Replaces the provider in test mode. Links, not a form, because `form-action` would also cover the redirect back. */
export const testProviderPages = ({ ports, settings, languages }: Deps & { languages: Languages }) =>
  exactRouter().get('/test-provider/:integration/authorize', (req, res) => {
    const query = Query.safeParse(req.query)
    if (!query.success) throw new Failure('input_invalid', 'This page is opened from a connect page in test mode.')
    const { redirect_uri: redirectUri, state, scope, code_challenge: challenge, outcome } = query.data
    const { app, callbackUrl } = authorizeInTestMode(ports, settings, {
      integration: req.params.integration,
      redirectUri,
      state,
      scopes: scope.split(' ').filter(Boolean),
      challenge,
      outcome,
    })
    if (callbackUrl !== undefined) return res.redirect(303, callbackUrl)
    const translator = languages.forVisitor(req, undefined)
    const locals = testProviderLocals(app, req.originalUrl, translator)
    renderPage(res, 'onboarding/test-provider', translator, locals)
  })
