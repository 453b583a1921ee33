// The contract of every ledger.
import { test } from 'vitest'
import { apiKeyPromises } from './api-keys.contract.ts'
import { auditPromises } from './audit.contract.ts'
import { campaignPromises } from './campaigns.contract.ts'
import { connectionNamePromises } from './connection-names.contract.ts'
import { connectionPromises } from './connections.contract.ts'
import { deliveryPromises } from './deliveries.contract.ts'
import { erasurePromises } from './erasures.contract.ts'
import { eventPromises } from './events.contract.ts'
import { healthPromises } from './health-checks.contract.ts'
import { idempotencyPromises } from './idempotency.contract.ts'
import { importPromises } from './imports.contract.ts'
import { knownToolListPromises } from './known-tool-lists.contract.ts'
import type { Ledger } from './ledger.ts'
import { movePromises } from './link-moves.contract.ts'
import { linkQueuePromises } from './link-queue.contract.ts'
import { linkPromises } from './links.contract.ts'
import { manageSessionPromises } from './manage-sessions.contract.ts'
import { registeredClientPromises } from './registered-clients.contract.ts'
import { sessionPromises } from './sessions.contract.ts'
import { grantPromises } from './stored-grants.contract.ts'
import { taskPromises } from './tasks.contract.ts'
import { deletionPromises } from './tenant-deletions.contract.ts'
import { tenantPromises } from './tenants.contract.ts'
import { testModePromises } from './test-mode.contract.ts'
import { userConnectionPromises } from './user-connections.contract.ts'
import { webhookPromises } from './webhooks.contract.ts'

/** `racing`: a promise about concurrent writers, which only a shared store can break. */
export type Contract = { ledger: () => Ledger; racing: typeof test }

export function keepsItsPromises(ledger: () => Ledger, { hasManyWriters }: { hasManyWriters: boolean }): void {
  const contract = { ledger, racing: test.runIf(hasManyWriters) as typeof test }
  tenantPromises(contract)
  apiKeyPromises(contract)
  registeredClientPromises(contract)
  deletionPromises(contract)
  erasurePromises(contract)
  sessionPromises(contract)
  linkPromises(contract)
  movePromises(contract)
  linkQueuePromises(contract)
  connectionPromises(contract)
  connectionNamePromises(contract)
  userConnectionPromises(contract)
  manageSessionPromises(contract)
  grantPromises(contract)
  healthPromises(contract)
  knownToolListPromises(contract)
  taskPromises(contract)
  webhookPromises(contract)
  deliveryPromises(contract)
  eventPromises(contract)
  importPromises(contract)
  testModePromises(contract)
  campaignPromises(contract)
  idempotencyPromises(contract)
  auditPromises(contract)
}
