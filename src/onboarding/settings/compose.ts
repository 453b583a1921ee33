import type pg from 'pg'
import type { SealedBox } from '../../kit/crypto/sealed-box.ts'
import type { Log } from '../../kit/process/log.ts'
import type { IntegrationSettingsPorts, ServedIntegrations } from '../domain/ports/integration-settings.ts'
import type { OnboardingEvent } from '../domain/reports/log-events.ts'
import type { PlatformHttp } from '../provisioning/adapters/platform/platform-http.ts'
import { platformPolicies } from '../provisioning/adapters/platform/platform-policies.ts'
import { postgresSettingVersions } from './adapters/setting-versions.ts'
import { postgresToolPolicies } from './adapters/tool-policies.ts'
import { followSettings } from './flows/follow-settings.ts'

type Parts = {
  pool: pg.Pool
  http: PlatformHttp
  seal: SealedBox
  served: ServedIntegrations
  log: Log<OnboardingEvent>
  mayCall(address: string): boolean
}

export function openSettings({ pool, http, seal, served, log, mayCall }: Parts): IntegrationSettingsPorts {
  const settingVersions = postgresSettingVersions(pool, seal)
  const toolPolicies = postgresToolPolicies(pool, seal)
  return {
    settingVersions,
    toolPolicies,
    platformPolicies: platformPolicies(http),
    served,
    followSettings: followSettings({ settingVersions, toolPolicies, served, log, now: Date.now }),
    mayBeCalled: mayCall,
  }
}
