import type { Actor } from '../../shared/domain/audit.ts'
import type { ControlPlanePorts } from '../domain/ports.ts'

type Ports = Pick<ControlPlanePorts, 'resources'>

const expiry: Actor = { kind: 'platform', id: '', label: 'expiry', credential: 'expiry' }

/** Removes sandboxes and previews that have expired, or that were idle for as long as their policy allows. */
export const removeExpired =
  ({ resources }: Ports) =>
  async (): Promise<number> => {
    const expired = await resources.expired()
    for (const key of expired) await resources.removeExpired(key, expiry)
    return expired.length
  }
