// The demo as `npm start` runs it, in a separate process with its own folder and ports.
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../src/kit/embedded/free-port.ts'
import { bundled } from '../support/processes/bundled-programs.ts'
import { temporaryFolder } from '../support/processes/stores.ts'

export type Places = { portal: string; causeway: string; platform: string; filebox: string; logs: string }

export type RunningDemo = {
  places: Places
  pidOf(program: 'onboarding' | 'platform'): number
  output(): string
  ended: Promise<number | null>
  stop(): Promise<number | null>
}

/** From `dist`, or from the bundle, which starts in a third of the time. */
const programs = {
  deployed: fileURLToPath(new URL('../../dist/demo/main.js', import.meta.url)),
  bundled: bundled('demo/main'),
}

type Start = { from?: keyof typeof programs; args?: string[] }

export async function runDemo(
  env: Record<string, string>,
  { from = 'bundled', args = [] }: Start = {},
): Promise<RunningDemo> {
  const folder = env.DEMO_DATA_DIR ?? temporaryFolder()
  const ports = portsOf.get(folder) ?? (await ownPorts())
  portsOf.set(folder, ports)
  const given = { ...ports, DEMO_ON_SHARED_STORES: 'allow', ...env, DEMO_DATA_DIR: folder }
  const { child, output } = launch(programs[from], given, args)
  // Not 'exit': the last output may still be in the pipe then.
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const ready = once(child, 'message').then(([message]) => (message as { places: Places }).places)
  const places = await Promise.race([ready, ended])
  if (typeof places !== 'object' || !places) throw new Error(`the demo did not start: ${output()}`)
  return {
    places,
    pidOf: (program) => pidOf(`${program}/main.js`, child.pid),
    output,
    ended,
    async stop() {
      child.kill('SIGINT')
      const code = await ended
      if (!env.DEMO_DATA_DIR) rmSync(folder, { recursive: true, force: true })
      return code
    },
  }
}

/** Ports by folder: a restarted demo keeps its ports. */
const portsOf = new Map<string, Record<string, string>>()

/** Demos that start at the same time would all find the usual ports free, then collide. */
async function ownPorts(): Promise<Record<string, string>> {
  const names = ['PORTAL_PORT', 'ONBOARDING_PORT', 'PLATFORM_PORT', 'FILEBOX_PORT']
  const ports = await Promise.all(names.map(() => freePort()))
  return Object.fromEntries(names.map((name, at) => [name, String(ports[at])]))
}

/** Runs a demo that must be rejected, and returns its output. */
export async function demoThatEnds(env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const { child, output } = launch(programs.bundled, env)
  const [code] = await once(child, 'close')
  return { code, output: output() }
}

function launch(program: string, env: Record<string, string>, args: string[] = []) {
  const runner = join(env.DEMO_DATA_DIR ?? temporaryFolder(), 'run.mjs')
  // A script has its exports in one.
  const loaded = `const loaded = await import(${JSON.stringify(program)})`
  writeFileSync(runner, `${loaded}\nawait (loaded.main ?? loaded.default.main)()\n`)
  const given = { PATH: process.env.PATH, HOME: process.env.HOME, ...env }
  const child = fork(runner, args, { env: given, execArgv: [], silent: true })
  let text = ''
  const keep = (chunk: Buffer) => {
    text += chunk
  }
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)
  return { child, output: () => text }
}

function pidOf(program: string, parent: number | undefined): number {
  // Arguments of other programs can be megabytes.
  const options = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const
  const processes = execFileSync('ps', ['-eo', 'pid,ppid,args'], options).split('\n')
  const rows = processes.map((line) => line.trim().split(/\s+/))
  const found = rows.find((fields) => fields[1] === String(parent) && fields.at(-1)?.endsWith(program))
  return Number(found?.[0])
}
