import { z } from 'zod'
import type { Page } from '../../../contract/page.ts'
import type { OpaqueCursors } from '../../../kit/crypto/opaque-cursor.ts'
import type { Actor } from '../../shared/domain/audit.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { type Execution, isOver, type Job, type Task } from '../domain/execution.ts'
import type { Executions, Jobs } from '../domain/ports.ts'

export type ReadExecutions = ReturnType<typeof readExecutions>

/** What an execution's own document shows of its tasks; the rest is on their own pages. */
const shownTasks = 200

type Needs = { jobs: Pick<Jobs, 'find'>; executions: Executions; cursors: OpaqueCursors; now: () => Date }
type PageRequest = { limit: number; cursor: string | undefined }

export const readExecutions = ({ jobs, executions, cursors, now }: Needs) => {
  const jobOf = async (workspace: string, name: string): Promise<Job> => {
    const job = await jobs.find(workspace, name)
    if (!job) throw new Failure('resource_unknown', 'No job has this name.')
    return job
  }
  const find = async (workspace: string, name: string, id: string): Promise<Execution> => {
    const found = await executions.find((await jobOf(workspace, name)).uid, id)
    if (!found) throw new Failure('resource_unknown', 'No execution has this id.')
    return found
  }
  const withTasks = async (execution: Execution) => ({
    execution,
    tasks: await executions.tasks(execution.uid, shownTasks, -1),
  })
  const page = <T>(found: T[], limit: number, total: number, bound: string, at: (item: T) => number): Page<T> => {
    const data = found.slice(0, limit)
    const last = data.at(-1)
    const hasMore = found.length > limit
    return { data, meta: { hasMore, total, nextCursor: hasMore && last ? cursors.seal(at(last), bound, now()) : '' } }
  }
  const position = (cursor: string | undefined, bound: string): number | undefined => {
    if (cursor === undefined) return undefined
    const opened = z.int().safeParse(cursors.open(cursor, bound, now()))
    if (!opened.success) throw new Failure('cursor_invalid', 'The cursor is not valid for this query.')
    return opened.data
  }
  return {
    find: async (workspace: string, name: string, id: string) => withTasks(await find(workspace, name, id)),

    /** Of one that was found before. */
    isOver: async ({ uid }: Pick<Execution, 'uid'>): Promise<boolean> => {
      const status = await executions.statusOf(uid)
      return status === undefined || isOver(status)
    },

    async list(workspace: string, name: string, { limit, cursor }: PageRequest): Promise<Page<Execution>> {
      const { uid: jobUid } = await jobOf(workspace, name)
      const bound = `executions|${jobUid}`
      const found = await executions.page({ jobUid, limit: limit + 1, before: position(cursor, bound) })
      return page(found, limit, await executions.count(jobUid), bound, ({ seq }) => seq)
    },

    /** All of them, page by page, with one page in memory at a time. */
    async *all(workspace: string, name: string): AsyncGenerator<Execution[]> {
      const { uid: jobUid } = await jobOf(workspace, name)
      yield* steps(
        (before: number | undefined) => executions.page({ jobUid, limit: stepSize, before }),
        ({ seq }) => seq,
      )
    },

    async tasks(workspace: string, name: string, id: string, { limit, cursor }: PageRequest) {
      const execution = await find(workspace, name, id)
      const bound = `tasks|${execution.uid}`
      const found = await executions.tasks(execution.uid, limit + 1, position(cursor, bound) ?? -1)
      return { execution, page: page<Task>(found, limit, execution.stats.total, bound, ({ index }) => index) }
    },

    async allTasks(workspace: string, name: string, id: string) {
      const execution = await find(workspace, name, id)
      const step = (after = -1) => executions.tasks(execution.uid, stepSize, after)
      return { execution, tasks: steps(step, ({ index }) => index) }
    },

    async output(workspace: string, name: string, id: string, index: number): Promise<string> {
      const output = await executions.output((await find(workspace, name, id)).uid, index)
      if (output === undefined) throw new Failure('resource_unknown', 'No task has this name.')
      return output
    },

    async cancel(workspace: string, name: string, id: string, by: Actor) {
      const { uid } = await find(workspace, name, id)
      await executions.cancel(uid, by)
      await executions.settle()
      return withTasks(await find(workspace, name, id))
    },
  }
}

const stepSize = 200

/** Each step begins where the one before it ended. */
async function* steps<T>(
  read: (from: number | undefined) => Promise<T[]>,
  positionOf: (item: T) => number,
): AsyncGenerator<T[]> {
  let from: number | undefined
  for (;;) {
    const found = await read(from)
    const last = found.at(-1)
    if (last) yield found
    if (found.length < stepSize || !last) return
    from = positionOf(last)
  }
}
