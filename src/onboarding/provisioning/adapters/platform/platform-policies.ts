import { EffectivePolicy } from '../../../../contract/integrations/tool-policy.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import type { PlatformPolicies } from '../../../domain/ports/integration-settings.ts'
import { paths } from './documents.ts'
import type { PlatformHttp } from './platform-http.ts'

/** Another platform may not have policies. */
export const platformPolicies = (http: Pick<PlatformHttp, 'send'>): PlatformPolicies => ({
  async effective({ workspace, name }) {
    const { status, body } = await http.send(
      'GET',
      `${paths.connections}/${encodeURIComponent(name)}/tool-policy`,
      workspace,
    )
    if (status === 404) return undefined
    const policy = EffectivePolicy.safeParse(body)
    if (status >= 300 || !policy.success) throw new DependencyError('platform_refused', { detail: `policy: ${status}` })
    return policy.data
  },
})
