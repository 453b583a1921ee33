import type pg from 'pg'
import { z } from 'zod'
import { execute, maybe, one, row, rows, type Sql, sql } from '../../../../kit/database/sql.ts'
import { Failure } from '../../../shared/domain/failure.ts'
import {
  killedCode,
  type OutputPart,
  type ProcessKey,
  type ProcessOutput,
  processStates,
  type SandboxProcesses,
} from '../../domain/sandbox/process.ts'
import { usedNow } from './sandbox-uses.ts'

const Row = z.object({
  sandbox: z.string(),
  pid: z.string(),
  name: z.string(),
  command: z.string(),
  workingFolder: z.string(),
  state: z.enum(processStates),
  exitCode: maybe(z.int()),
  restarts: z.int(),
  maxRestarts: z.int(),
  keepsAlive: z.boolean(),
  startedAt: z.date(),
  endedAt: maybe(z.date()),
})

const Part = z.object({ part: z.int(), output: z.enum(['stdout', 'stderr']), content: z.string() })

const Outputs = z.object({ isRunning: z.boolean(), parts: z.array(Part) })

const Renewed = z.object({ sandbox: z.string(), pid: z.string(), stop: maybe(z.enum(['killed', 'stopped'])) })

const [leaseSeconds, keptHours, keptPerSandbox] = [15, 24, 50]

const is = ({ sandbox, pid }: ProcessKey): Sql => sql`sandbox = ${sandbox} and pid = ${pid}`

const lease = sql`now() + ${sql.literal(leaseSeconds)} * interval '1 second'`

/** Its worker died, or has lost the database. */
const isLost = sql`state = 'running' and lease_until < now()`

const selected = sql`select ${sql.columns(Row.omit({ state: true, exitCode: true }))},
  case when ${isLost} then 'failed' else state end as state,
  case when ${isLost} then ${sql.literal(killedCode)} else exit_code end as "exitCode"
  from sandbox_processes`

const endLost = sql`update sandbox_processes set state = 'failed', exit_code = ${killedCode}, ended_at = now()
  where ${isLost}`

/** A sandbox is idle from the end of its last process. */
const ending = (update: Sql): Sql => sql`with ended as (${update} returning sandbox)
  ${usedNow(sql`select sandbox from ended`)}`

const nameTaken = '23505'

export const postgresSandboxProcesses = (pool: pg.Pool): SandboxProcesses => ({
  async add({ sandbox, pid, name, command, workingFolder, maxRestarts, keepsAlive }, worker) {
    await execute(pool, ending(sql`${endLost} and sandbox = ${sandbox}`))
    await execute(
      pool,
      sql`delete from sandbox_processes where sandbox = ${sandbox} and pid in (
        select pid from sandbox_processes where sandbox = ${sandbox} and state <> 'running'
        order by ended_at desc offset ${keptPerSandbox})`,
    )
    await execute(
      pool,
      sql`insert into sandbox_processes
        (sandbox, pid, name, command, working_folder, max_restarts, keeps_alive, worker, lease_until)
        values (${sandbox}, ${pid}, ${name}, ${command}, ${workingFolder}, ${maxRestarts}, ${keepsAlive}, ${worker}, ${lease})`,
    ).catch((error) => {
      if (error.code !== nameTaken) throw error
      throw new Failure('name_taken', `A running process has the name ${name}.`, { cause: error })
    })
  },

  openOutput: (key) => writtenOutput(pool, key),

  async noteRestart(key) {
    await execute(pool, sql`update sandbox_processes set restarts = restarts + 1 where ${is(key)}`)
  },

  async end(key, { state, exitCode }) {
    const update = sql`update sandbox_processes set state = ${state}, exit_code = ${exitCode}, ended_at = now()
      where ${is(key)} and state = 'running'`
    await execute(pool, ending(update))
  },

  find: (sandbox, identifier) =>
    row(
      pool,
      Row,
      sql`${selected} where sandbox = ${sandbox} and (pid = ${identifier} or name = ${identifier})
        order by (pid = ${identifier}) desc, started_at desc limit 1`,
    ),

  list: (sandbox) => rows(pool, Row, sql`${selected} where sandbox = ${sandbox} order by started_at, pid`),

  outputAfter: (key, part) =>
    one(
      pool,
      Outputs,
      sql`select
        exists (select from sandbox_processes where ${is(key)} and state = 'running' and not (${isLost})) as "isRunning",
        (select coalesce(json_agg(json_build_object('part', part, 'output', output, 'content', content) order by part), '[]')
          from sandbox_process_output where ${is(key)} and part > ${part}) as parts`,
    ),

  async requestStop(key, state) {
    await execute(pool, sql`update sandbox_processes set stop = ${state} where ${is(key)} and state = 'running'`)
  },

  renew: (worker, own) =>
    rows(
      pool,
      Renewed,
      sql`update sandbox_processes p set lease_until = ${lease} from resources r
        where r.id = p.sandbox and r.status in ('DEPLOYED', 'DEPLOYING') and p.worker = ${worker} and p.state = 'running'
          and (p.sandbox, p.pid) in (select * from unnest(
            ${own.map(({ sandbox }) => sandbox)}::text[], ${own.map(({ pid }) => pid)}::text[]))
        returning p.sandbox, p.pid, p.stop`,
    ),

  async sweep() {
    await execute(pool, ending(endLost))
    await execute(
      pool,
      sql`delete from sandbox_processes where ended_at < now() - ${sql.literal(keptHours)} * interval '1 hour'`,
    )
  },
})

const [maxKept, maxPending, flushMs] = [1024 * 1024, 256 * 1024, 200]
/** A command that changes between its outputs makes a part of each byte. */
const [maxPendingParts, partOverhead] = [1_000, 32]

type Text = Pick<OutputPart, 'output' | 'content'>

/** Writes at most `maxPending` characters at a time, the newest, and keeps the newest `maxKept`. */
function writtenOutput(pool: pg.Pool, { sandbox, pid }: ProcessKey): ProcessOutput {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() }
  const kept: Array<{ part: number; length: number }> = []
  let pending: Text[] = []
  let part = 0
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()

  const hold = (texts: readonly Text[]) => {
    pending = newest(texts, maxPending)
  }
  const write = async () => {
    const texts = pending
    pending = []
    if (texts.length === 0) return
    const first = part + 1
    const contents = texts.map(({ content }) => content)
    const outputs = texts.map(({ output }) => output)
    try {
      await execute(
        pool,
        sql`insert into sandbox_process_output (sandbox, pid, part, output, content)
          select ${sandbox}, ${pid}, ${first} + (place - 1)::integer, output, content
          from unnest(${outputs}::text[], ${contents}::text[]) with ordinality as given (output, content, place)
          on conflict do nothing`,
      )
    } catch {
      hold([...texts, ...pending])
      return
    }
    for (const { length } of contents) kept.push({ part: ++part, length: length + partOverhead })
    const old = tooOld(kept)
    if (old === undefined) return
    await execute(pool, sql`delete from sandbox_process_output where ${is({ sandbox, pid })} and part <= ${old}`)
  }
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      writing = writing.then(write).then(() => {
        if (pending.length > 0) soon()
      }, soon)
    }, flushMs)
  }
  return {
    add(output, bytes) {
      // PostgreSQL can't store NUL characters.
      const content = decoders[output].decode(bytes, { stream: true }).replaceAll('\0', '\uFFFD')
      if (content === '') return
      const last = pending.at(-1)
      if (last?.output === output) last.content += content
      else pending.push({ output, content })
      hold(pending)
      soon()
    },
    async close() {
      clearTimeout(timer)
      timer = undefined
      await writing
      await write()
    },
  }
}

function newest(texts: readonly Text[], max: number): Text[] {
  const taken: Text[] = []
  let left = max
  for (const { output, content } of texts.slice(-maxPendingParts).toReversed()) {
    if (left === 0) break
    taken.push({ output, content: content.slice(-left) })
    left -= Math.min(content.length, left)
  }
  return taken.reverse()
}

/** The last part of those that are beyond the limit. */
function tooOld(kept: Array<{ part: number; length: number }>): number | undefined {
  let total = kept.reduce((sum, { length }) => sum + length, 0)
  let old: number | undefined
  while (total > maxKept) {
    const first = kept.shift()
    if (!first) break
    old = first.part
    total -= first.length
  }
  return old
}
