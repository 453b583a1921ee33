// Queue delays, read on each scrape. Each part uses a partial index.
import { z } from 'zod'
import { maybe, one, type Queryable, sql } from '../../../kit/database/sql.ts'
import { kitMetrics } from '../../../kit/process/metric-table.ts'
import { askedSeldom, type Metrics } from '../../../kit/process/metrics.ts'
import { platformMetrics } from '../domain/metrics.ts'

const queues = ['tasks', 'async_requests', 'callbacks'] as const

/** Seconds. Undefined if nothing is due. */
const Overdue = z.object({ tasks: maybe(z.number()), async_requests: maybe(z.number()), callbacks: maybe(z.number()) })

const readOverdue = (db: Queryable) =>
  one(
    db,
    Overdue,
    sql`select
      (select extract(epoch from now() - min(not_before))::float8 from tasks
        where state = 'pending' and not_before < now()) as tasks,
      (select extract(epoch from now() - min(due_at))::float8 from async_requests where due_at < now()) as async_requests,
      (select extract(epoch from now() - min(callback_at))::float8 from executions where callback_at < now())
        as callbacks`,
  )

const TaskRow = z.object({ pending: z.number(), running: z.number() })

const countTasks = (db: Queryable) =>
  one(
    db,
    TaskRow,
    sql`select (select count(*) from tasks where state = 'pending') as pending,
      (select count(*) from tasks where state = 'running') as running`,
  )

const everyMs = 10_000

export function queueMetrics(metrics: Metrics, db: Queryable): void {
  const ask = askedSeldom(async () => ({ overdue: await readOverdue(db), tasks: await countTasks(db) }), everyMs)
  metrics.gauge(kitMetrics.queueOverdueSeconds, {
    async read() {
      const { overdue } = await ask()
      return queues.map((queue) => ({ labels: { queue }, value: overdue[queue] ?? 0 }))
    },
  })
  metrics.gauge(platformMetrics.tasks, {
    async read() {
      const { tasks } = await ask()
      return Object.entries(tasks).map(([state, value]) => ({ labels: { state }, value }))
    },
  })
}
