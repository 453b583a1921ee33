import type { Log } from '../../../kit/process/log.ts'
import { blockedHosts } from '../../domain/doctor/called-addresses.ts'
import type { Integration } from '../../domain/integration.ts'
import { type PlatformReport, partReport } from '../../domain/platform-report.ts'

type StartEvent =
  | 'integration.unproven'
  | 'integration.address_blocked'
  | 'integration.grants_untested'
  | 'ledger.may_lose_commits'
  | 'platform.not_ready'
  | 'platform.incomplete'

type Needs = {
  log: Log<StartEvent>
  integrations: Integration[]
  mayCall(address: string): boolean
  examinePlatform(): Promise<PlatformReport>
  /** Why a crash or a failover of the ledger can lose its last commits. */
  unawaitedCommits(): Promise<string | undefined>
}

export async function warnAtStart({
  log,
  integrations,
  mayCall,
  examinePlatform,
  unawaitedCommits,
}: Needs): Promise<void> {
  for (const { id, about, ...profile } of integrations) {
    if (about?.tier === 'listed') {
      log('integration.unproven', { integration: id, detail: `Read on ${about.asOf}: try a link before users do.` })
    }
    for (const host of blockedHosts(profile, mayCall)) {
      const detail = 'Add it to EGRESS_ALLOW, if it is to be called.'
      log('integration.address_blocked', { integration: id, host, detail })
    }
    if (profile.health.by === 'function' && profile.health.tool === undefined && profile.mcpUrl === undefined) {
      log('integration.grants_untested', { integration: id, detail: 'Name a tool (health.tool), or state rotation.' })
    }
  }
  const unawaited = await unawaitedCommits()
  if (unawaited) log('ledger.may_lose_commits', { detail: unawaited })
  const report = await examinePlatform()
  const { ready, state, warnings } = partReport(report)
  if (!ready) log('platform.not_ready', { detail: state })
  for (const detail of warnings) log('platform.incomplete', { detail })
  for (const workspace of report.unknownWorkspaces)
    log('platform.incomplete', { workspace, detail: 'Not on the platform.' })
}
