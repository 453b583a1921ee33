import type { ProvisioningPorts } from '../../domain/ports/provisioning.ts'
import type { SharedPorts } from '../../domain/ports/shared.ts'
import type { TenantPorts } from '../../domain/ports/tenants.ts'
import type { Settings } from '../../domain/settings.ts'
import { endStalledLink } from './stalled-links/end-stalled-link.ts'
import { expireStalledLinks } from './stalled-links/expire-stalled-links.ts'
import { resumeByCause } from './stalled-links/resume-by-cause.ts'
import { resumeLink } from './stalled-links/resume-link.ts'
import { sweepLinks } from './sweep-links.ts'

type Ports = SharedPorts & TenantPorts & ProvisioningPorts

export const provisioningFlows = (ports: Ports, settings: Settings) => ({
  resumeLink: resumeLink(ports, settings),
  resumeByCause: resumeByCause(ports),
  endStalledLink: endStalledLink(ports, settings),
  sweepLinks: sweepLinks(ports, settings),
  expireStalledLinks: expireStalledLinks(ports, settings),
})

export type ProvisioningFlows = ReturnType<typeof provisioningFlows>
