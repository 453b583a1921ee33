// The machine as commands see it. Tests pass their own.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { homedir } from 'node:os'
import { join } from 'node:path'

export type Terminal = {
  env: Readonly<Record<string, string | undefined>>
  out(text: string): void
  err(text: string): void
  configFolder: string
  /** The current folder. */
  folder: string
  /** Runs a program with further variables until it ends or `stopped` is aborted. Returns its exit code. */
  run(words: readonly string[], env: Record<string, string>, stopped: AbortSignal): Promise<number | undefined>
  /** Reads a typed or piped line. Returns undefined at the end of the input. */
  readLine(prompt: string): Promise<string | undefined>
  /** Aborted by Ctrl-C and SIGTERM. */
  stopped: AbortSignal
}

export function processTerminal(): Terminal {
  const { env } = process
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  // The reader, such as `head`, may close the pipe early.
  process.stdout.on('error', () => process.exit(0))
  return {
    env,
    out: (text) => void process.stdout.write(`${text}\n`),
    err: (text) => void process.stderr.write(`${text}\n`),
    configFolder: join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'causeway'),
    folder: process.cwd(),
    run: (words, more, stopped) => runProgram(words, { ...env, ...more }, stopped),
    readLine,
    stopped: stop.signal,
  }
}

export async function runProgram(
  [program = '', ...args]: readonly string[],
  env: Record<string, string | undefined>,
  stopped: AbortSignal,
): Promise<number | undefined> {
  // npm's programs are scripts on Windows, which only a shell starts.
  const child = spawn(program, args, { env, stdio: 'inherit', shell: process.platform === 'win32' })
  const stop = () => child.kill()
  stopped.addEventListener('abort', stop, { once: true })
  try {
    const [code] = await once(child, 'exit')
    return code ?? undefined
  } finally {
    stopped.removeEventListener('abort', stop)
  }
}

/** Without echo, because the line is an API key. */
async function readLine(prompt: string): Promise<string | undefined> {
  const { createInterface } = await import('node:readline')
  const { Writable } = await import('node:stream')
  const isTerminal = process.stdin.isTTY === true
  if (isTerminal) process.stderr.write(prompt)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: isTerminal })
  const line = await new Promise<string | undefined>((resolve) => {
    lines.once('line', resolve)
    lines.once('close', () => resolve(undefined))
  })
  lines.close()
  if (isTerminal) process.stderr.write('\n')
  return line
}
