import { checkedState, domainIn, isVerified, proofName } from '../domain/custom-domain.ts'
import { withEvent } from '../domain/deployment.ts'
import type { ControlPlanePorts } from '../domain/ports.ts'

type Ports = Pick<ControlPlanePorts, 'resources' | 'unverifiedDomains' | 'txtRecords' | 'isDomainProof' | 'now'>

/** Checks domains that are not proven yet, less often as they get older. A verified domain stays verified. */
export const verifyDomains = (ports: Ports) => async (): Promise<void> => {
  const { resources, txtRecords, isDomainProof, now } = ports
  for (const found of await ports.unverifiedDomains()) {
    const domain = domainIn(found.spec)
    if (domain === undefined) continue
    const records = await txtRecords(proofName(domain))
    const isProven = records.some((record) => isDomainProof(record, found.id))
    await resources.change(found, (current) => {
      if (current.id !== found.id || domainIn(current.spec) !== domain || isVerified(current)) return current
      const state = checkedState(current.state, domain, isProven, now())
      const event = { type: 'verification', message: `The domain ${domain} is verified.` }
      return { ...current, state, ...(isProven && { events: withEvent(current, event, now()) }) }
    })
  }
}
