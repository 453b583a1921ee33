import type { Output } from '../../../shared/domain/engine.ts'
import { Failure } from '../../../shared/domain/failure.ts'
import type { OutputPart, SandboxProcess, SandboxProcesses } from '../../domain/sandbox/process.ts'

type Ports = { processes: SandboxProcesses; pause: (ms: number) => Promise<void> }

export async function findProcess({ processes }: Pick<Ports, 'processes'>, sandbox: string, identifier: string) {
  const found = await processes.find(sandbox, identifier)
  // Not `resource_unknown`: a client would create its sandbox again.
  if (!found) throw new Failure('route_unknown', 'No process has this ID or name.')
  return found
}

export type ProcessLogs = { logs: string; stdout: string; stderr: string }

export async function readLogs({ processes }: Pick<Ports, 'processes'>, process: SandboxProcess): Promise<ProcessLogs> {
  const { parts } = await processes.outputAfter(process, 0)
  const of = (wanted?: Output) =>
    parts.flatMap(({ output, content }) => (wanted === undefined || output === wanted ? [content] : [])).join('')
  return { logs: of(), stdout: of('stdout'), stderr: of('stderr') }
}

const [lookMs, maxLookMs] = [250, 1_000]
const maxLineLength = 64 * 1024

type Line = { output: Output; line: string }

/** Lines as they are written, until the process has ended. Longer ones come in parts. */
export async function* followLines(
  { processes, pause }: Ports,
  followed: SandboxProcess,
  isGone: () => boolean,
): AsyncGenerator<Line> {
  const begun: Record<Output, string> = { stdout: '', stderr: '' }
  for (let after = 0, looks = 0; !isGone(); ) {
    const { isRunning, parts } = await processes.outputAfter(followed, after)
    for (const part of parts) yield* linesIn(part, begun)
    after = parts.at(-1)?.part ?? after
    if (!isRunning) break
    looks = parts.length > 0 ? 0 : looks + 1
    await pause(Math.min(lookMs * 2 ** looks, maxLookMs))
  }
  for (const output of ['stdout', 'stderr'] as const) if (begun[output]) yield { output, line: begun[output] }
}

function* linesIn({ output, content }: OutputPart, begun: Record<Output, string>): Generator<Line> {
  const lines = `${begun[output]}${content}`.split('\n')
  begun[output] = lines.pop() ?? ''
  for (const line of lines) yield { output, line }
  if (begun[output].length <= maxLineLength) return
  yield { output, line: begun[output] }
  begun[output] = ''
}
