import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { ignoreError } from '../../../../kit/process/ignore-error.ts'
import { type ConfinedCommand, homeFolder, limited, maxProcesses } from './bubblewrap.ts'
import { findInside, lookInside } from './command-usage.ts'
import { type ControlGroup, findControlGroups, newControlGroup } from './control-group.ts'
import type { CountDisk } from './disk.ts'
import { systemCallFilter } from './seccomp.ts'
import { type Child, spawnChild } from './spawn-child.ts'
import { type Bubblewrap, countDiskBy, onStart, openGate, startBubblewrap, yielding } from './start-bubblewrap.ts'

export type RunningCommand = { child: Child; group: ControlGroup | undefined }

/** Receives bubblewrap's error. It names local folders, so tenants must not see it. */
type NoteRefusal = (id: string, message: string) => void

export type Confinement =
  | {
      kind: 'confined'
      start(id: string, confined: ConfinedCommand): RunningCommand
      countDisk: CountDisk
      noteRefusal?: NoteRefusal | undefined
    }
  | { kind: 'unconfined'; start(id: string, confined: ConfinedCommand): RunningCommand }
  /** `reason` is a sentence for the tenant. */
  | { kind: 'unavailable'; reason: string }

export type ConfinementOptions = {
  unconfined: boolean
  program?: string
  controlGroups?: boolean
  arch?: string
  noteRefusal?: NoteRefusal
}

/** `unconfined`: the operator allows commands that bubblewrap can't confine or nothing can limit. */
export async function findConfinement(options: ConfinementOptions): Promise<Confinement> {
  const { unconfined, program = 'bwrap', controlGroups = true, arch } = options
  const bubblewrap = { program, filter: systemCallFilter(arch) }
  const groups = controlGroups ? findControlGroups() : undefined
  const { failure, isUnlimited } = await tryBubblewrap(bubblewrap, groups !== undefined)
  if (failure === undefined || (isUnlimited && unconfined)) return confinedBy(bubblewrap, groups, options.noteRefusal)
  if (!unconfined) return unavailable(failure)
  return {
    kind: 'unconfined',
    start: (_id, confined) => ({ child: yielding(startUnconfined(confined)), group: undefined }),
  }
}

function confinedBy(
  bubblewrap: Bubblewrap,
  groups: ReturnType<typeof findControlGroups>,
  noteRefusal: NoteRefusal | undefined,
): Confinement {
  return {
    kind: 'confined',
    noteRefusal,
    countDisk: countDiskBy(bubblewrap.program),
    start(id, confined) {
      const { memoryMb } = confined
      const limits = {
        memoryMb,
        processes: maxProcesses,
        cores: Math.min(coresFor(memoryMb), availableParallelism()),
      }
      const group = newControlGroup(groups, `causeway-${id}`, limits)
      try {
        const child = startBubblewrap(bubblewrap, confined, group !== undefined)
        openGate(child, group)
        return { child, group }
      } catch (error) {
        group?.remove()
        throw error
      }
    },
  }
}

export const unavailable = (failure: string): Confinement => ({
  kind: 'unavailable',
  reason: `This platform can't run commands: bubblewrap, which confines them, ${failure}. The operator has to fix this.`,
})

/** Waits for the end of its input. */
const trial: ConfinedCommand = { command: ['cat'], env: {}, folders: [], workingFolder: homeFolder, memoryMb: 64 }

type Trial = { failure?: string; isUnlimited: boolean }

async function tryBubblewrap(bubblewrap: Bubblewrap, hasGroup: boolean): Promise<Trial> {
  const child = startBubblewrap(bubblewrap, trial, hasGroup)
  const closed = once(child, 'close')
  openGate(child, undefined)
  const started = new Promise<void>((resolve) => onStart(child, resolve))
  await Promise.race([started, closed])
  const canWatch =
    hasGroup ||
    (await findInside(child.pid)
      .then(lookInside)
      .catch(() => undefined)) !== undefined
  child.stdin.on('error', ignoreError('it could not be started')).end()
  const [code] = await closed
  if (code === commandNotFound) return { failure: 'is not installed', isUnlimited: false }
  if (code !== 0) return { failure: 'cannot be used by this account', isUnlimited: false }
  const canCount = (await countDiskBy(bubblewrap.program)(['/bin/sh'], 1)) !== undefined
  if (bubblewrap.filter && canWatch && canCount) return { isUnlimited: false }
  return { failure: 'cannot limit their memory and disk here', isUnlimited: true }
}

/** POSIX shells exit with this status if the command is missing. */
const commandNotFound = 127

/**
 * The shell becomes the command. A background reader waits on a pipe from this process: when this process ends, the pipe
 * closes and the reader kills the whole group.
 */
const leash = `
( read -r _ <&3; kill -KILL 0 ) </dev/null >/dev/null 2>&1 &
exec "$@" 3<&-
`

function startUnconfined(confined: ConfinedCommand): Child {
  const { env, folders, workingFolder } = confined
  const cwd = folders.find(({ at }) => at === workingFolder)?.source
  const options = { ...(cwd && { cwd }), env: { ...env }, detached: true }
  return spawnChild([leash, 'workload', ...limited(confined)], options, 4)
}

/** Workloads with the default memory get one core, because only memory is billed. */
const memoryMbPerCore = 2_048
/** With less than half a core, a runtime takes seconds to start. */
const minCores = 0.5

export const coresFor = (memoryMb: number): number => Math.max(minCores, memoryMb / memoryMbPerCore)
