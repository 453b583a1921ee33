import { FolderPath } from '../../../contract/control-plane/runtime.ts'
import type { TemporaryFolder } from '../../shared/domain/engine.ts'
import type { Document } from './resource.ts'

type TaskVolume = { name?: string; mountPath?: string; sizeMb?: number; readOnly: boolean }

const defaultMb = 64

const volumesIn = (spec: Document) => (spec.volumes ?? []) as TaskVolume[]

export const volumeProblems = (spec: Document): string[] =>
  volumesIn(spec).flatMap(({ name = '', mountPath }) => {
    const { error } = FolderPath.safeParse(mountPath)
    return error ? [`The mountPath of the volume ${name} ${error.issues[0]?.message}.`] : []
  })

export const taskFolders = (spec: Document): TemporaryFolder[] =>
  volumesIn(spec).map(({ mountPath = '', sizeMb, readOnly }) => ({
    at: mountPath,
    maxMb: sizeMb || defaultMb,
    readOnly,
  }))
