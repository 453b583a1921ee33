import { FolderPath } from '../../../contract/control-plane/runtime.ts'
import type { TemporaryFolder } from '../../shared/domain/engine.ts'
import type { Document } from './resource.ts'

type TaskVolume = { name?: string; mountPath?: string; sizeMb?: number; readOnly: boolean }

const defaultMb = 64

const volumesIn = (spec: Document) => (spec.volumes ?? []) as TaskVolume[]

const pathOf = ({ mountPath = '' }: TaskVolume) => `/${mountPath.split('/').filter(Boolean).join('/')}`

/** Folders of every task that its command can write. */
const ownFolders = ['/tmp', '/home/user']

const isInside = (path: string, outer: string) => path.startsWith(`${outer}/`)

export const volumeProblems = (spec: Document): string[] =>
  volumesIn(spec).flatMap((volume, at, all) => {
    const { error } = FolderPath.safeParse(volume.mountPath)
    const problem = error ? error.issues[0]?.message : nestingProblem(pathOf(volume), all.slice(0, at).map(pathOf))
    return problem === undefined ? [] : [`The mountPath of the volume ${volume.name ?? ''} ${problem}.`]
  })

/** A command could rename the outer folder, and the engine would measure another one. */
function nestingProblem(path: string, earlier: readonly string[]): string | undefined {
  const isNested = (other: string) => isInside(path, other) || isInside(other, path)
  if (earlier.includes(path)) return 'is the mountPath of another volume'
  const other = [...ownFolders, ...earlier].find(isNested)
  return other && `must not be inside or around ${other}`
}

/** None for a job that was deployed before these problems were found. */
export const taskFolders = (spec: Document): TemporaryFolder[] =>
  volumeProblems(spec).length > 0
    ? []
    : volumesIn(spec).map((volume) => ({
        at: pathOf(volume),
        maxMb: volume.sizeMb || defaultMb,
        readOnly: volume.readOnly,
      }))
