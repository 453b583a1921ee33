import type { ProvisioningPorts } from '../../domain/ports/provisioning.ts'
import type { SharedPorts } from '../../domain/ports/shared.ts'
import type { TenantPorts } from '../../domain/ports/tenants.ts'
import type { Settings } from '../../domain/settings.ts'
import { expireStalledLinks } from './expire-stalled-links.ts'
import { resumeLink } from './resume-link.ts'
import { resumeLinks } from './resume-links.ts'
import { sweepLinks } from './sweep-links.ts'

type Ports = SharedPorts & TenantPorts & ProvisioningPorts

export const provisioningFlows = (ports: Ports, settings: Settings) => ({
  resumeLink: resumeLink(ports, settings),
  resumeLinks: resumeLinks(ports),
  sweepLinks: sweepLinks(ports, settings),
  expireStalledLinks: expireStalledLinks(ports, settings),
})

export type ProvisioningFlows = ReturnType<typeof provisioningFlows>
