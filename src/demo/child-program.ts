// One of our two programs as a child process: it says when it is ready, and ends when we do.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ignoreError } from '../kit/process/ignore-error.ts'
import { StartError } from '../kit/process/start-error.ts'

export type ChildProgram = {
  /** Settles when it is ready; refuses with a line on why, when the program ends instead. */
  begin(settings: Record<string, string>): Promise<void>
  /** A line on how it ended, whether or not it was asked to. */
  ended: Promise<string>
  stop(): Promise<void>
}

export type ProgramName = 'onboarding' | 'platform'

type Start = { name: ProgramName; logFolder: string; cacheFolder: string }

const programs = fileURLToPath(new URL('../', import.meta.url))

/** Reads its modules at once and waits to be told its settings. */
export function startProgram({ name, logFolder, cacheFolder }: Start): ChildProgram {
  const logFile = join(logFolder, `${name}.log`)
  const child = spawn(process.execPath, [join(programs, 'demo/waiting-program.js'), join(programs, name, 'main.js')], {
    env: { ...inherited(), NODE_COMPILE_CACHE: cacheFolder }, // from Node 22 on; older ones ignore it
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // Its own process group: a Ctrl-C in the terminal reaches us alone, and we end it in order.
    detached: true,
  })
  const log = createWriteStream(logFile, { flags: 'a', mode: 0o600 })
  child.stdout?.pipe(log, { end: false })
  child.stderr?.pipe(log, { end: false })
  const complaint = complaintOf(child)
  const ended = once(child, 'close').then(() => {
    log.end()
    return complaint() || `${name} ended: see ${logFile}`
  })
  const begin = (settings: Record<string, string>) => {
    child.send(settings, ignoreError('one that ended meanwhile is noticed by its end'))
    return readiness(child, ended)
  }
  return { begin, ended, stop: () => end(child, ended) }
}

async function readiness(child: ChildProcess, ended: Promise<string>): Promise<void> {
  const ready = new Promise<undefined>((resolve) => {
    child.on('message', (message) => isReady(message) && resolve(undefined))
  })
  const ending = await Promise.race([ready, ended])
  if (ending) throw new StartError(ending)
}

/** Runs a program's command line once and reads the one line of JSON it prints. */
export async function runCommand(
  name: ProgramName,
  args: string[],
  env: Record<string, string>,
  input = '',
): Promise<unknown> {
  try {
    const command = [join(programs, name, 'cli.js'), ...args]
    const running = promisify(execFile)(process.execPath, command, { env: { ...inherited(), ...env } })
    running.child.stdin?.on('error', ignoreError('one that reads nothing may have closed it')).end(input)
    return JSON.parse((await running).stdout)
  } catch (error) {
    const said = complaints((error as { stderr?: string }).stderr ?? '')
    throw new StartError(said || `${name} ${args.slice(0, 2).join(' ')} failed: run it alone to see why`)
  }
}

// Only what every program needs: settings meant for the demo must not leak into its parts.
function inherited(): Record<string, string> {
  const names = ['PATH', 'HOME', 'LANG', 'TZ', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS']
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
}

function complaintOf(child: ChildProcess): () => string {
  let text = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    text = (text + chunk).slice(-4_000)
  })
  return () => complaints(text)
}

/** What a program said to people rather than to the log: its name goes before each such line. */
const complaints = (text: string): string =>
  text
    .split('\n')
    .filter((line) => /^[a-z]+: /.test(line) && !/Error\b.*:/.test(line))
    .join('\n')

// Not by disconnect(): a child whose channel its parent closed never reports 'close'.
async function end(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill('SIGTERM')
  const patience = setTimeout(() => child.kill('SIGKILL'), 5_000)
  await ended
  clearTimeout(patience)
}

const isReady = (message: unknown) => typeof message === 'object' && message !== null && 'ready' in message
