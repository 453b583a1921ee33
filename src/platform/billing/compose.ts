// The part of the wiring list that bills.
import type pg from 'pg'
import type { OpaqueCursors } from '../../kit/crypto/opaque-cursor.ts'
import { type LoopReports, repeat } from '../../kit/process/repeat.ts'
import type { Config } from '../config.ts'
import { postgresAccruals } from './adapters/accruals.ts'
import { postgresMetrics } from './adapters/metrics.ts'
import { setPrices } from './adapters/prices.ts'
import { diskSnapshotSize } from './adapters/snapshot-size.ts'
import type { FindAccount, ListAccounts } from './domain/ports.ts'
import { accrue } from './flows/accrue.ts'
import { exportCosts } from './flows/export-costs.ts'
import { findCostScope } from './flows/find-cost-scope.ts'
import { listResourceTypes } from './flows/list-resource-types.ts'
import { readMetrics } from './flows/read-metrics.ts'
import { showCosts } from './flows/show-costs.ts'
import { billingOperations } from './http/billing-operations.ts'

export type BillingAdapters = Awaited<ReturnType<typeof openBillingAdapters>>

export async function openBillingAdapters(config: Config, pool: pg.Pool) {
  await setPrices(pool, config.prices)
  return {
    metrics: postgresMetrics(pool),
    accruals: postgresAccruals(pool, config),
    snapshotSize: diskSnapshotSize(config.dataFolder),
  }
}

type Needs = BillingAdapters & { cursors: OpaqueCursors; loops: LoopReports; now: () => Date }

type Accounts = { find: FindAccount; list: ListAccounts }

/** Tells when something was deleted, whose meters end then. */
type Changes = { listen(listener: (change: { removed: boolean }) => void): void }

export function assembleBilling(adapters: Needs, accounts: Accounts, changes: Changes) {
  const { find: findAccount, list: listAccounts } = accounts
  const needs = { ...adapters, findAccount, listAccounts }
  // Every process runs it, and each meter is accrued by the first to lock it.
  const accruing = repeat('accrue-usage', 30_000, accrue(adapters), adapters.loops)
  changes.listen(({ removed }) => removed && accruing.soon())
  return {
    close: accruing.stop,
    costs: { find: findCostScope(needs), show: showCosts(needs), export: exportCosts(needs) },
    operations: billingOperations({
      findAccount,
      readMetrics: readMetrics(needs),
      listResourceTypes: listResourceTypes(needs),
    }),
  }
}
