import type pg from 'pg'
import { type LoopReports, repeat } from '../../kit/process/repeat.ts'
import type { Config } from '../config.ts'
import type { Sessions } from '../shared/http/own-pages.ts'
import { diskSnapshotSize, postgresAccruals } from './adapters/accruals.ts'
import { postgresMetrics } from './adapters/metrics.ts'
import { setPrices } from './adapters/prices.ts'
import type { BillingPorts } from './domain/ports.ts'
import { accrue } from './flows/accrue.ts'
import { billingOperations } from './http/billing-operations.ts'
import { costPages } from './http/pages/cost-pages.ts'

export async function openBillingAdapters(config: Config, pool: pg.Pool) {
  await setPrices(pool, config.prices)
  return {
    metrics: postgresMetrics(pool),
    accruals: postgresAccruals(pool, config),
    snapshotSize: diskSnapshotSize(config.dataFolder),
  }
}

type Others = {
  sessions: Sessions
  changes: { listen(listener: (change: { removed: boolean }) => void): void }
}

export function assembleBilling(ports: BillingPorts & { loops: LoopReports }, { sessions, changes }: Others) {
  // Runs in every process. Each meter is accrued by the first process that locks it.
  const accruing = repeat('accrue-usage', 30_000, () => accrue(ports), ports.loops)
  changes.listen(({ removed }) => removed && accruing.soon())
  return { close: accruing.stop, pages: costPages(ports, sessions), operations: billingOperations(ports) }
}
