import type { Actor } from '../../domain/audit/audit.ts'
import type { Audit } from '../../domain/ports/shared.ts'
import { type Examination, type ExamineNeeds, examineIntegration } from './examine-integration.ts'

export type ExamineOnRequest = { integration: string; tenant?: string | undefined; actor: Actor; reason?: string }

/** Asks the provider, and notes who wanted it: it sees a request of ours that no user made. */
export const examineOnRequest =
  (needs: ExamineNeeds & { audit: Audit }) =>
  async ({ integration, tenant, actor, reason }: ExamineOnRequest): Promise<Examination> => {
    const examination = await examineIntegration(needs)({ integration, tenant, network: true })
    const wrongChecks = examination.findings.filter(({ verdict }) => verdict === 'wrong').map(({ check }) => check)
    const facts = { integrationId: integration, tenantId: tenant, wrongChecks }
    await needs.audit.note({ action: 'integration.examined', actor, facts, ...(reason !== undefined && { reason }) })
    return examination
  }
