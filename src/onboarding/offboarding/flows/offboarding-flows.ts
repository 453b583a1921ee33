import type { ConnectionPorts } from '../../domain/ports/connections.ts'
import type { OffboardingPorts } from '../../domain/ports/offboarding.ts'
import type { ProvisioningPorts } from '../../domain/ports/provisioning.ts'
import type { SharedPorts } from '../../domain/ports/shared.ts'
import type { TenantPorts } from '../../domain/ports/tenants.ts'
import type { Settings } from '../../domain/settings.ts'
import { deleteTenant, readDeletion } from './delete-tenant.ts'
import { eraseEndUser, listErasures, readErasure } from './erase-end-user.ts'
import { resumeDeletions } from './work-on-deletion.ts'
import { resumeErasures } from './work-on-erasure.ts'

type Ports = SharedPorts & TenantPorts & ProvisioningPorts & ConnectionPorts & OffboardingPorts

export const offboardingFlows = (ports: Ports, settings: Settings) => ({
  deleteTenant: deleteTenant(ports, settings),
  readDeletion: readDeletion(ports),
  resumeDeletions: resumeDeletions(ports, settings),
  eraseEndUser: eraseEndUser(ports, settings),
  readErasure: readErasure(ports),
  listErasures: listErasures(ports),
  resumeErasures: resumeErasures(ports, settings),
})

export type OffboardingFlows = ReturnType<typeof offboardingFlows>
