// What is said once, when the program starts: settings that can be read and will disappoint somebody later.
import type { Log } from '../../../kit/process/log.ts'
import type { Integration } from '../../domain/integration.ts'
import { type PlatformReport, partReport } from '../../domain/platform-report.ts'

type Needs = {
  log: Log
  integrations: Integration[]
  mayCall(address: string): boolean
  examinePlatform(): Promise<PlatformReport>
}

export async function warnAtStart({ log, integrations, mayCall, examinePlatform }: Needs): Promise<void> {
  for (const { id, about, ...profile } of integrations) {
    if (about?.tier === 'listed') {
      log.warn(
        `integration ${id}: its profile is known from one source alone (read on ${about.asOf}): try a link before users do`,
      )
    }
    for (const address of addressesOf(profile).filter((each) => !mayCall(each))) {
      log.warn(
        `integration ${id}: ${new URL(address).host} is a private address or has no TLS, and is not called: add it to EGRESS_ALLOW`,
      )
    }
    if (profile.health.by === 'function' && profile.health.tool === undefined) {
      log.warn(
        `integration ${id}: no check tries its grants, so one that dies is not noticed: name a tool (health.tool), or state rotation`,
      )
    }
  }
  const report = await examinePlatform()
  const { ready, state, warnings } = partReport(report)
  if (!ready) log.warn(`the platform is ${state}; links wait and go on by themselves once it can be used`)
  for (const warning of warnings) log.warn(warning)
  for (const workspace of report.unknownWorkspaces) log.warn(`workspace ${workspace} is not on the platform`)
}

const addressesOf = ({
  issuer,
  endpoints,
  revocation,
}: Pick<Integration, 'issuer' | 'endpoints' | 'revocation'>): string[] =>
  [endpoints ? undefined : issuer, endpoints?.token, endpoints?.userinfo, revocation.url, endpoints?.jwks].filter(
    (address) => address !== undefined,
  )
