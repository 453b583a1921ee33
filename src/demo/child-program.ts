import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ignoreError } from '../kit/process/ignore-error.ts'
import { tryAgainCode } from '../kit/process/program.ts'
import { StartError } from '../kit/process/start-error.ts'

export type ChildProgram = {
  /** Settles when the program is ready. Rejects with one line if the program ends first. */
  begin(settings: Record<string, string>): Promise<void>
  ended: Promise<string>
  stop(): Promise<void>
}

export type ProgramName = 'onboarding' | 'platform'

type Start = { name: ProgramName; logFolder: string; cacheFolder: string }

const programs = fileURLToPath(new URL('../', import.meta.url))

/** Loads the program's modules at once; `begin` passes the settings. */
export function startProgram({ name, logFolder, cacheFolder }: Start): ChildProgram {
  const logFile = join(logFolder, `${name}.log`)
  const child = spawn(process.execPath, [join(programs, 'demo/waiting-program.js'), join(programs, name, 'main.js')], {
    env: { ...inherited(), NODE_COMPILE_CACHE: cacheFolder }, // Node 22 and later
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // A separate process group: Ctrl-C reaches only the demo, which ends its programs in order.
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
    child.send(settings, ignoreError('an ended program settles `ended`'))
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

/** Runs one command of a program and parses the line of JSON that it prints. On a busy machine a store may time out. */
export async function runCommand(
  name: ProgramName,
  args: string[],
  env: Record<string, string>,
  input = '',
  tries = 5,
): Promise<unknown> {
  try {
    const command = [join(programs, name, 'cli.js'), ...args]
    const running = promisify(execFile)(process.execPath, command, { env: { ...inherited(), ...env } })
    running.child.stdin?.on('error', ignoreError('the command may not read its input')).end(input)
    return JSON.parse((await running).stdout)
  } catch (error) {
    const { stderr = '', message, code } = error as Error & { stderr?: string; code?: number }
    if (code === tryAgainCode && tries > 1) return runCommand(name, args, env, input, tries - 1)
    const reason = stderr.trim().split('\n')[0] || message
    throw new StartError(complaints(stderr) || `${name} ${args.slice(0, 2).join(' ')} failed: ${reason}`)
  }
}

/** The demo's settings must not leak into its programs. */
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

/** Lines for people, as opposed to log lines, begin with the name of the program. */
const complaints = (text: string): string =>
  text
    .split('\n')
    .filter((line) => /^[a-z]+: /.test(line) && !/Error\b.*:/.test(line))
    .join('\n')

// disconnect() doesn't work here: a child whose channel is closed by its parent never emits 'close'.
async function end(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  // SIGTERM would drain first.
  child.kill('SIGINT')
  const patience = setTimeout(() => child.kill('SIGKILL'), 5_000)
  await ended
  clearTimeout(patience)
}

const isReady = (message: unknown) => typeof message === 'object' && message !== null && 'ready' in message
