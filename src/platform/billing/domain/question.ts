import type { MetricsQuery } from '../../../contract/billing/metrics.ts'
import type { Role } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { groupingsOf } from './grouping.ts'
import type { Question } from './ports.ts'
import { resolutionOf, windowOf } from './window.ts'

/** What was asked, as somebody with this role may ask it. */
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
  throw new Failure('role_missing', 'Access denied: workspaces are told apart for account admins only.')
}
