// What a command may ask of the machine it runs on; a test hands over its own.
import { homedir } from 'node:os'
import { join } from 'node:path'

export type Terminal = {
  env: Readonly<Record<string, string | undefined>>
  out(text: string): void
  err(text: string): void
  /** The file of this command line, to start it once more. */
  program: string
  /** Where settings and where state is kept, each in a folder of ours. */
  configFolder: string
  stateFolder: string
  /** The next line that is typed or piped. Undefined at the end of the input. */
  readLine(prompt: string): Promise<string | undefined>
  /** Aborted by Ctrl-C and by SIGTERM. */
  stopped: AbortSignal
}

export function processTerminal(): Terminal {
  const { env } = process
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  // Whoever reads us, such as `head`, may have seen enough.
  process.stdout.on('error', () => process.exit(0))
  return {
    env,
    out: (text) => void process.stdout.write(`${text}\n`),
    err: (text) => void process.stderr.write(`${text}\n`),
    program: process.argv[1] ?? '',
    configFolder: join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'causeway'),
    stateFolder: join(env.XDG_STATE_HOME || join(homedir(), '.local/state'), 'causeway'),
    readLine,
    stopped: stop.signal,
  }
}

/** Typed without an echo: a key must not stay on the screen. */
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
