// Commands of a tenant that try to escape or to exhaust resources, from a job and from a sandbox.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Outside } from '../../test/support/worlds/outside-a-command.ts'
import type { Stand } from './stand.ts'

const seconds = 5
const greedy = 'const all = []; for (;;) all.push(Buffer.alloc(4_000_000, 1))'
const fill = 'i=0; while dd if=/dev/zero of=full/f$i bs=1M count=16 2>/dev/null; do i=$((i+1)); done'

/** Shell scripts. Filling the disk ends at the folder's limit. */
const bombs = {
  'fork bomb': `bomb() { bomb | bomb & }; bomb; sleep ${seconds}`,
  'memory bomb': `timeout ${seconds} node -e '${greedy}'`,
  'disk bomb': `mkdir full; timeout ${seconds} sh -c '${fill}'`,
  'processor bomb': `for i in 1 2 3 4; do timeout ${seconds} sh -c 'while :; do :; done' & done; wait`,
}

const attackNames = ['ways out', ...Object.keys(bombs)]

/** Image names of jobs. */
export function attackImages(own: string): Record<string, string[]> {
  const commands = Object.values(bombs).map((script) => ['/bin/sh', '-c', script])
  const waysOut = ['node', join(own, 'ways-out.mjs'), join(own, 'outside.json')]
  return Object.fromEntries([waysOut, ...commands].map((command, at) => [`bench/attack-${at}`, command]))
}

type Attacks = {
  /** Completed runs of each, and escapes, which should be empty. */
  counts: Record<string, number>
  escapes: string[]
  stop(): Promise<void>
}

const memoryMb = 1_024

export async function prepareAttacks(stand: Stand, { own }: Outside): Promise<void> {
  await stand.create('sandboxes', 'attacker', { runtime: { memory: memoryMb } })
  for (const name of ['ways-out.mjs', 'outside.json']) {
    const content = readFileSync(join(own, name), 'utf8')
    await stand.callTool('sandboxes/attacker', 'write_file', { path: `/${name}`, content })
  }
  for (const at of attackNames.keys()) {
    await stand.create('jobs', `attack-${at}`, { runtime: { image: `bench/attack-${at}`, memory: memoryMb } })
  }
}

/** Runs a number of each concurrently until stopped. */
export function attack(stand: Stand, { jobs, sandboxes }: { jobs: number; sandboxes: number }): Attacks {
  const counts: Record<string, number> = {}
  const escapes: string[] = []
  let isOver = false
  const repeat = async (where: string, first: number, run: (at: number) => Promise<string>) => {
    for (let turn = first; !isOver; turn++) {
      const at = turn % attackNames.length
      const output = await run(at)
      if (at === 0) escapes.push(...succeeded(output))
      const name = `${attackNames[at]} in a ${where}`
      counts[name] = (counts[name] ?? 0) + 1
    }
  }
  const running = [
    ...Array.from({ length: jobs }, (_, at) => repeat('job', at, (kind) => fromJob(stand, kind))),
    ...Array.from({ length: sandboxes }, (_, at) => repeat('sandbox', at, (kind) => fromSandbox(stand, kind))),
  ]
  return {
    counts,
    escapes,
    async stop() {
      isOver = true
      await Promise.all(running)
    },
  }
}

async function fromJob(stand: Stand, at: number): Promise<string> {
  const executions = `/v0/jobs/attack-${at}/executions`
  const { id } = await stand.post(executions, { tasks: [{}] })
  for (;;) {
    const { stats, tasks } = await stand.get(`${executions}/${id}`)
    if (at === 0 && stats.failure > 0) throw new Error(`the script failed in a job: ${JSON.stringify(tasks)}`)
    if (stats.success + stats.failure > 0) break
    await pause(250)
  }
  return (await stand.get(`${executions}/${id}/tasks/${id}-0/output`)).output
}

async function fromSandbox(stand: Stand, at: number): Promise<string> {
  const command = at === 0 ? 'node ways-out.mjs outside.json' : (Object.values(bombs)[at - 1] as string)
  const answer = await stand.callTool('sandboxes/attacker', 'run_command', { command, timeout_seconds: 60 })
  // A full folder stays full, and the next command in it would end immediately.
  if (attackNames[at] === 'disk bomb') await stand.callTool('sandboxes/attacker', 'delete_path', { path: '/full' })
  const { stdout, ...rest } = JSON.parse(answer.result.content[0].text)
  if (at === 0 && rest.exitCode !== 0) throw new Error(`the script failed in a sandbox: ${JSON.stringify(rest)}`)
  return stdout
}

/** With fewer attacks the measurement would be invalid. */
function succeeded(output: string): string[] {
  const { tried, succeeded } = JSON.parse(output)
  if (tried < 40) throw new Error(`only ${tried} ways out were tried`)
  return succeeded
}
