import type { MetricsQuery, ResourceType } from '../../../contract/billing/metrics.ts'
import type { Role } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { groupingsOf } from './grouping.ts'
import type { Account, Question } from './ports.ts'
import { resolutionOf, windowOf } from './window.ts'

export function questionOf(account: { id: string; role: Role }, query: MetricsQuery): Question {
  const question = read(account.id, query)
  if (account.role !== 'admin') assertNotAdminOnly(question)
  return question
}

function read(accountId: string, query: MetricsQuery): Question {
  const window = windowOf(query.startTime, query.endTime)
  return {
    accountId,
    window,
    resolution: resolutionOf(window, query.resolution),
    groupBy: groupingsOf(query.groupBy),
    filters: {
      workspace: query.workspace,
      resourceType: query.resourceType,
      resourceName: query.resourceName,
      resourceUuid: query.resourceUuid,
      billingDimension: query.billingDimension,
    },
  }
}

function assertNotAdminOnly({ groupBy, filters }: Question): void {
  if (filters.workspace === undefined && !groupBy.includes('workspace')) return
  throw new Failure('role_missing', 'Access denied: only account admins can group or filter by workspace.')
}

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

export type CostScope = { account: Account; filters: ScopeFilters }

export function resourceIn(kind: string, name: string): Required<Omit<ScopeFilters, 'workspace'>> {
  const resourceType = Object.hasOwn(billedKinds, kind) ? billedKinds[kind] : undefined
  if (!resourceType) throw new Failure('resource_unknown', 'No page matches this path.')
  return { resourceType, resourceName: name }
}
