import { appendFileSync, chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Adapters } from '../../../src/platform/compose.ts'
import { waitFor } from '../oracles/wait-for.ts'
import { temporaryFolder } from '../processes/stores.ts'
import { createResource, platformWorld } from './platform-world.ts'

export type JobWorld = Awaited<ReturnType<typeof jobWorld>>

type Options = {
  env?: NodeJS.ProcessEnv
  integrations?: unknown[]
  runtimes?: object[]
  adapters?: Partial<Adapters>
}

/** Daemonizes and keeps its output open. */
const escapes = `
  const args = ['-c', 'sleep 60; :', process.argv[1]]
  require('node:child_process').spawn('sh', args, { detached: true, stdio: 'inherit' })
  console.log('begun')
  process.exit()`

/** A shell script that a task has as its argument. */
const runsScript = `
  const { script } = JSON.parse(process.env.TASK)
  process.exitCode = require('node:child_process').spawnSync('sh', ['-c', script], { stdio: 'inherit' }).status`

/** Finds processes by a full argument of their command line. */
const processesWith = (argument: string): number[] =>
  readdirSync('/proc').flatMap((name) => {
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').includes(argument) ? [Number(name)] : []
    } catch {
      return []
    }
  })

export async function jobWorld({ env = {}, integrations = [], runtimes = [], adapters = {} }: Options = {}) {
  const folder = temporaryFolder()
  const marks = join(folder, 'marks')
  appendFileSync(marks, '')
  // If tests run as root, commands run as user `nobody`.
  chmodSync(folder, 0o755)
  chmodSync(marks, 0o666)
  const runtimesFile = join(folder, 'runtimes.json')
  const shell = (image: string, script: string) => ({
    image,
    command: ['sh', '-c', script],
    folders: [{ path: marks, writable: true }],
  })
  writeFileSync(
    runtimesFile,
    JSON.stringify({
      runtimes: [
        // Short appends are atomic, so marks of concurrent tasks do not mix.
        shell('test/mark', `echo "$EXECUTION_ID $TASK_INDEX $TASK_ATTEMPT" >> ${marks}; cat; echo " said $GREETING"`),
        shell('test/fail', `echo "$EXECUTION_ID $TASK_INDEX $TASK_ATTEMPT" >> ${marks}; echo broken >&2; exit 3`),
        shell('test/slow', `echo "$EXECUTION_ID $TASK_INDEX $TASK_ATTEMPT" >> ${marks}; sleep 600 & wait`),
        // Lasts until the test releases its execution.
        shell(
          'test/held',
          `echo "$EXECUTION_ID $TASK_INDEX $TASK_ATTEMPT" >> ${marks}; until grep -q "release $EXECUTION_ID" ${marks}; do sleep 0.1; done`,
        ),
        shell('test/brief', `echo "begin $TASK_INDEX" >> ${marks}; sleep 0.4; echo "end $TASK_INDEX" >> ${marks}`),
        shell(
          'test/flaky',
          `echo "$EXECUTION_ID $TASK_INDEX $TASK_ATTEMPT" >> ${marks}; sleep 0.05; [ $(($(od -An -N1 -tu1 /dev/urandom) % 10)) -ge 3 ]`,
        ),
        shell('test/family', `sh -c 'sleep 60; :' ${marks}-child & echo begun >> ${marks}; wait`),
        shell('test/leaves', `sh -c 'sleep 60; :' ${marks}-child & echo begun`),
        shell('test/env', 'env | sort'),
        { image: 'test/script', command: [process.execPath, '-e', runsScript] },
        shell('test/looks', `cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr '\\0' '\\n'; env | sed 's/^/own /'`),
        shell('test/size', 'wc -c; [ -z "$TASK" ] && echo "no variable"'),
        { image: 'test/arguments', command: ['sh', '-c', 'ls "$@"', 'sh', '/', runtimesFile, `/${'*'.repeat(300)}`] },
        { image: 'test/escapes', command: [process.execPath, '-e', escapes, `${marks}-daemon`] },
        { image: 'test/address', url: 'http://127.0.0.1:1' },
        ...runtimes,
      ],
    }),
  )
  const platform = await platformWorld({ env: { RUNTIMES_FILE: runtimesFile, ...env }, integrations, adapters })
  const api = platform.as(platform.admin)
  return {
    platform,
    api,
    runtimesFile,
    /** PIDs on the host differ from the PIDs inside. */
    children: () => [...processesWith(`${marks}-child`), ...processesWith(`${marks}-daemon`)],
    marks: () => (existsSync(marks) ? readFileSync(marks, 'utf8').trim().split('\n').filter(Boolean) : []),
    release: (id: string) => appendFileSync(marks, `release ${id}\n`),
    async job(name: string, runtime: object, more: object = {}) {
      await createResource(api, 'jobs', name, { runtime, ...more })
    },
    async start(job: string, body: object): Promise<string> {
      const answer = await api.post(`/v0/jobs/${job}/executions`).send(body)
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
      return answer.body.id
    },
    read: async (job: string, id: string) => (await api.get(`/v0/jobs/${job}/executions/${id}`)).body,
    over: (job: string, id: string, timeout = 50_000) =>
      waitFor(
        'the execution is over',
        async () => {
          const { body } = await api.get(`/v0/jobs/${job}/executions/${id}`)
          return ['cancelled', 'failed', 'succeeded', 'timeout'].includes(body.status) && body
        },
        { withinMs: timeout, everyMs: 150 },
      ),
    close: platform.close,
  }
}
