import type { AccountDoor } from './account-door.ts'

/** Runs workloads of tenants. `test/platform/engines/engine.contract.ts` tests every engine. */
export type Engine = {
  kind: 'bubblewrap' | 'docker'
  /** Undefined if it works, otherwise a sentence for tenants. */
  problem(): Promise<string | undefined>
  /** Runs a command to its end. An aborted signal ends the command and everything that it started. */
  run(run: EngineRun): Promise<RunEnd>
  /** Undefined if it runs commands only. */
  containers?: Containers
}

/** A container that waits for commands. Its home folder outlives it. */
export type KeptContainer = { id: string; image: string; memoryMb: number }

/** A container of this platform, found by its labels. `id` is that of the run or of the kept container. */
export type FoundContainer = { kind: 'run' | 'kept'; id: string; isRunning: boolean }

/** All are idempotent. Problems are sentences for tenants. */
export type Containers = {
  /** Pulls the image unless the engine has it. */
  fetch(image: string): Promise<{ problem?: string }>
  /** Creates and starts it, or replaces one with another image or memory. */
  keep(kept: KeptContainer): Promise<{ problem?: string }>
  /** Stops a kept one. Its home folder stays. */
  stop(id: string): Promise<void>
  /** Also removes the home folder of a kept one. */
  remove(found: Pick<FoundContainer, 'kind' | 'id'>): Promise<void>
  list(): Promise<FoundContainer[]>
  /** Calls `onEnd` when a kept container ends, but may miss some. Resolves when the signal is aborted. */
  watch(onEnd: () => void, signal: AbortSignal): Promise<void>
}

/** A folder at `/` holds everything except the system's folders. `maxMb` limits only this folder. */
export type Folder = { source: string; at: string; writable: boolean; maxMb?: number | undefined }

export type EngineRun = {
  /** Unique among all runs. */
  id: string
  /** A new container of an image, or a kept one. By default, the machine of the platform. */
  in?: { image: string } | { kept: KeptContainer } | undefined
  /** Empty for the command of the image. */
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
  /** Limits what is kept of each output. */
  outputBytes?: number | undefined
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
