import type { AccountDoor } from './account-door.ts'

/** What runs workloads of tenants. `test/platform/engines/engine.contract.ts` is its behavior. */
export type Engine = {
  kind: 'bubblewrap'
  /** Undefined if it can run something, otherwise a sentence for tenants. */
  problem(): Promise<string | undefined>
  /** Runs a command to its end. An aborted signal ends the command and everything that it started. */
  run(run: EngineRun): Promise<RunEnd>
}

/** A folder at `/` holds everything except the system's folders. `maxMb` limits only this folder. */
export type Folder = { source: string; at: string; writable: boolean; maxMb?: number | undefined }

export type EngineRun = {
  /** Unique among all runs. */
  id: string
  command: readonly string[]
  env: Readonly<Record<string, string>>
  /** Visible folders besides the system's programs and libraries. */
  folders: readonly Folder[]
  /** The home folder by default. */
  workingFolder?: string | undefined
  memoryMb: number
  /** Limits all writable folders together. */
  diskMb: number
  timeoutSeconds: number
  stdin: string
  door?: AccountDoor | undefined
  signal: AbortSignal
}

export type RunEnd = {
  outcome:
    | 'exited'
    | 'signalled'
    | 'timeout'
    | 'out_of_memory'
    | 'disk_full'
    | 'no_room'
    | 'not_started'
    | 'unavailable'
  code: number | undefined
  /** The folder that exceeds its own limit, if the disk is full because of it. */
  full?: Folder | undefined
  /** Why the engine is unavailable, for the tenant. */
  reason?: string
  /** The end of each output. */
  stdout: string
  stderr: string
}

export const notStarted = (outcome: RunEnd['outcome'], reason?: string): RunEnd => ({
  ...{ outcome, code: undefined, stdout: '', stderr: '' },
  ...(reason && { reason }),
})

/** Undefined if the command ended by itself. */
export function cutShortSentence(
  { outcome, full, reason }: RunEnd,
  { timeoutSeconds, memoryMb, diskMb }: Pick<EngineRun, 'timeoutSeconds' | 'memoryMb' | 'diskMb'>,
): string | undefined {
  const folders = full ? `its folder ${full.at}` : 'its folders'
  const maxMb = full?.maxMb ?? diskMb
  const sentences: Record<RunEnd['outcome'], string | undefined> = {
    exited: undefined,
    signalled: 'It was ended by a signal.',
    timeout: `It ran longer than ${timeoutSeconds} s.`,
    out_of_memory: `It used more than its ${memoryMb} MB of memory.`,
    disk_full: `It was ended, because ${folders} may have at most ${maxMb} MB, with 8 kB for each file.`,
    no_room: `The command was not started: ${folders} may have at most ${maxMb} MB. Delete files first.`,
    not_started: 'The command could not be started.',
    unavailable: reason,
  }
  return sentences[outcome]
}
