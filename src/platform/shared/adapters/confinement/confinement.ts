// Whether and how commands of tenants are confined on this machine.
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { coresFor } from '../../domain/cores.ts'
import { type ConfinedCommand, homeFolder, mostProcesses } from './bubblewrap.ts'
import { findControlGroups, newControlGroup } from './control-group.ts'
import type { ControlGroup } from './control-group-files.ts'
import { systemCallFilter } from './seccomp.ts'
import type { Child } from './spawn-child.ts'
import { type Bubblewrap, openGate, startBubblewrap, yielding } from './start-bubblewrap.ts'
import { startUnconfined } from './unconfined.ts'

export type RunningCommand = { child: Child; group: ControlGroup | undefined }

/** Told what bubblewrap said when it did not start a command: it names folders of this machine, so no tenant reads it. */
export type NoteRefusal = (id: string, message: string) => void

export type Confinement =
  | {
      kind: 'confined' | 'unconfined'
      start(id: string, confined: ConfinedCommand): RunningCommand
      noteRefusal?: NoteRefusal | undefined
    }
  /** The reason is a sentence for the tenant whose command was to run. */
  | { kind: 'unavailable'; reason: string }

type Options = { unconfined: boolean; program?: string; controlGroups?: boolean; noteRefusal?: NoteRefusal }

/** `unconfined`: the operator allows commands to run without, where there is no bubblewrap. */
export async function findConfinement(options: Options): Promise<Confinement> {
  const { unconfined, program = 'bwrap', controlGroups = true } = options
  const bubblewrap = { program, filter: systemCallFilter() }
  const failure = await tryBubblewrap(bubblewrap)
  if (failure === undefined) {
    const groups = controlGroups ? findControlGroups() : undefined
    return {
      kind: 'confined',
      noteRefusal: options.noteRefusal,
      start(id, confined) {
        const { memoryMb } = confined
        const limits = {
          memoryMb,
          processes: mostProcesses,
          cores: Math.min(coresFor(memoryMb), availableParallelism()),
        }
        const group = newControlGroup(groups, `causeway-${id}`, limits)
        try {
          const child = startBubblewrap(bubblewrap, confined)
          openGate(child, group)
          return { child, group }
        } catch (error) {
          group?.remove()
          throw error
        }
      },
    }
  }
  if (unconfined)
    return {
      kind: 'unconfined',
      start: (_id, confined) => ({ child: yielding(startUnconfined(confined)), group: undefined }),
    }
  return unavailable(failure)
}

/** Looked for when a command first needs it. Where there is none it is looked for again: an operator may install it. */
export function lazyConfinement(options: Options): () => Promise<Confinement> {
  let found: Promise<Confinement> | undefined
  return async () => {
    found ??= findConfinement(options)
    const confinement = await found.catch((): Confinement => unavailable('could not be tried'))
    if (confinement.kind !== 'confined') found = undefined
    return confinement
  }
}

const unavailable = (failure: string): Confinement => ({
  kind: 'unavailable',
  reason: `This platform runs no commands: bubblewrap, which confines them, ${failure}. This is for the operator.`,
})

const trial: ConfinedCommand = { command: ['true'], env: {}, folders: [], workingFolder: homeFolder, memoryMb: 64 }

/** Undefined if it works; otherwise the rest of the sentence. */
async function tryBubblewrap(bubblewrap: Bubblewrap): Promise<string | undefined> {
  const child = startBubblewrap(bubblewrap, trial)
  openGate(child, undefined)
  const [code] = await once(child, 'close')
  if (code === 0) return undefined
  return code === commandNotFound ? 'is not installed' : 'cannot be used by this account'
}

/** Of a shell (POSIX, exit status for commands). */
const commandNotFound = 127
