import type { ResourceType } from '../../../contract/billing/metrics.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { Account } from './ports.ts'

/** Resources as addresses name them, with the type that stands on the bill. */
const billedKinds: Record<string, ResourceType> = {
  functions: 'mcp_server',
  agents: 'agent',
  jobs: 'job',
  sandboxes: 'sandbox',
  models: 'model',
  volumes: 'volume',
  customdomains: 'custom_domain',
}

export type ScopeFilters = { workspace?: string; resourceType?: ResourceType; resourceName?: string }

/** Whose costs a page is about: an account, or the part of it that the address names. */
export type CostScope = { account: Account; filters: ScopeFilters }

export function resourceIn(kind: string, name: string): Required<Omit<ScopeFilters, 'workspace'>> {
  const resourceType = Object.hasOwn(billedKinds, kind) ? billedKinds[kind] : undefined
  if (!resourceType) throw new Failure('resource_unknown', 'There is nothing at this address.')
  return { resourceType, resourceName: name }
}
