import { join } from 'node:path'
import { runProgram, type Terminal } from '../../../packages/cli/src/terminal.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'

export type Machine = { env?: Record<string, string>; typed?: string; folder?: string }

/** A terminal that records its output, with a config folder that no other test uses. */
export function testTerminal({ env = {}, typed, folder = temporaryFolder() }: Machine = {}) {
  const [out, err]: [string[], string[]] = [[], []]
  const stopping = new AbortController()
  const terminal: Terminal = {
    env,
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    configFolder: join(folder, 'config'),
    folder,
    run: (words, more, stopped) => runProgram(words, { ...process.env, ...env, ...more }, stopped),
    readLine: async () => typed,
    stopped: stopping.signal,
  }
  return {
    terminal,
    folder,
    out: () => out.join('\n'),
    err: () => err.join('\n'),
    stop: () => stopping.abort(),
  }
}
