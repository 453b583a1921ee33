import type { Document, Resource } from './resource.ts'

/** `verified`: the domain that was verified. A changed domain has to be verified again. */
type DomainState = { verified?: string; checkedAt?: string; problem?: string }

const stateOf = ({ state }: Pick<Resource, 'state'>) => state as DomainState

/** Without the wildcard: a domain includes its subdomains. */
export const domainIn = (spec: Document): string | undefined =>
  typeof spec.domain === 'string' ? spec.domain.replace(/^\*\./, '') : undefined

export const proofName = (domain: string): string => `_platform-verification.${domain}`

export const isVerified = (resource: Pick<Resource, 'spec' | 'state'>): boolean => {
  const domain = domainIn(resource.spec)
  return domain !== undefined && stateOf(resource).verified === domain
}

export const covers = (resource: Pick<Resource, 'spec' | 'state'>, host: string): boolean => {
  const domain = domainIn(resource.spec)
  return isVerified(resource) && (host === domain || host.endsWith(`.${domain}`))
}

export function shownDomain(resource: Resource, proof: string, target: string): Document {
  const { checkedAt, problem } = stateOf(resource)
  const domain = domainIn(resource.spec)
  const status = isVerified(resource) ? 'verified' : problem === undefined ? 'pending' : 'failed'
  return {
    txtRecords: domain === undefined ? {} : { [proofName(domain)]: proof },
    cnameRecords: target,
    status,
    ...(status === 'failed' && { verificationError: problem }),
    ...(checkedAt !== undefined && { lastVerifiedAt: checkedAt }),
  }
}

/** The state after a check of the TXT records. */
export function checkedState(state: Document, domain: string, isProven: boolean, now: Date): Document {
  const { problem: _, ...rest } = state
  const checkedAt = now.toISOString()
  if (isProven) return { ...rest, verified: domain, checkedAt }
  return { ...rest, checkedAt, problem: `The TXT record ${proofName(domain)} was not found with its value.` }
}
