import type { Secret } from '../../../kit/crypto/secret.ts'
import type { AccountDoor } from './account-door.ts'

/** Runs workloads of tenants. `test/platform/engines/engine.contract.ts` tests every engine. */
export type Engine = {
  kind: 'bubblewrap' | 'docker' | 'kubernetes'
  /** Undefined if it works, otherwise a sentence for tenants. */
  problem(): Promise<string | undefined>
  /** Runs a command to its end. An aborted signal ends the command and everything that it started. */
  run(run: EngineRun): Promise<RunEnd>
  /** Undefined if it runs commands only. */
  containers?: Containers
}

/** A container that waits for commands, or one whose image listens at a port. Its home folder outlives it. */
export type KeptContainer = {
  id: string
  image: string
  memoryMb: number
  /** Empty unless the engine has `mountsVolumes`. */
  mounts?: readonly VolumeMount[]
  /** The command of the image runs. Without it, the container waits for commands. */
  serves?: { port: number; env: Secret<Record<string, string>> } | undefined
}

/** Of equal containers, the first has the ID of all. */
export const replicaId = (id: string, number: number): string => (number === 0 ? id : `${id}-${number}`)

/** `volume` is the ID of a volume. Its first mount creates it, and it outlives the container. */
export type VolumeMount = { volume: string; at: string; readOnly: boolean; sizeMb?: number | undefined }

/**
 * A container or volume of this platform. `id` is that of the run, of the kept container or of the volume. A container
 * that the engine is starting counts as running.
 */
export type EngineObject = { kind: 'run' | 'kept' | 'volume'; id: string; isRunning: boolean }

/** All are idempotent. Problems are sentences for tenants. */
export type Containers = {
  /** Pulls the image unless the engine has it. */
  fetch(image: string): Promise<{ problem?: string }>
  /** Optional. Undefined if the engine does not have the image. */
  imageBytes?(image: string): Promise<number | undefined>
  /**
   * Creates and starts it, or replaces one with another image, memory or mounts. With `asked`, it may return
   * before the container runs, and a replacement may need another call.
   */
  keep(kept: KeptContainer, until?: 'running' | 'asked'): Promise<{ problem?: string }>
  /** Stops a kept one. Its home folder stays. */
  stop(id: string): Promise<void>
  /** Also removes the home folder of a kept one. */
  remove(found: Pick<EngineObject, 'kind' | 'id'>): Promise<void>
  list(): Promise<EngineObject[]>
  /** Optional: without it, sandboxes with volumes or drives are rejected. */
  mountsVolumes?: true
  /** Opens a TCP connection to a port on the loopback address of a kept one. Optional: without it, ports are rejected. */
  connect?(kept: KeptContainer, port: number): Promise<NodeJS.ReadWriteStream>
  /** Calls `onEnd` when a kept container ends, but may miss some. Resolves when the signal is aborted. */
  watch(onEnd: () => void, signal: AbortSignal): Promise<void>
}

/** A folder at `/` holds everything except the system's folders. `maxMb` limits only this folder. */
export type Folder = { source: string; at: string; writable: boolean; maxMb?: number | undefined }

/** An empty folder in memory, or on the disk of a node, that ends with the run. */
export type TemporaryFolder = { at: string; maxMb: number; readOnly: boolean }

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
  temporary?: readonly TemporaryFolder[] | undefined
  /** The home folder by default. */
  workingFolder?: string | undefined
  memoryMb: number
  /** Limits all writable folders together. */
  diskMb: number
  timeoutSeconds: number
  stdin: string
  /** Limits what is kept of each output. */
  outputBytes?: number | undefined
  /** Gets the outputs while the command runs. Optional: an engine may only return them at the end. */
  onOutput?: ((output: Output, part: Uint8Array) => void) | undefined
  door?: AccountDoor | undefined
  signal: AbortSignal
}

export type Output = 'stdout' | 'stderr'

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
