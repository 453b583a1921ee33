// How containers of this platform are named, marked and compared on every engine.
import { createHash } from 'node:crypto'
import type { EngineObject, KeptContainer } from '../../domain/engine.ts'

export type Named = Pick<EngineObject, 'kind' | 'id'>

export const labels = { owner: 'causeway.owner', kind: 'causeway.kind', id: 'causeway.id', shape: 'causeway.shape' }

/** The same in every process, so that two of them can't create one twice. */
export const nameFor = (owner: string, { kind, id }: Named): string => `causeway-${kind}-${digest(`${owner} ${id}`)}`

/** A container of another shape has to be replaced. */
export const shapeOf = ({ memoryMb, mounts = [], serves }: KeptContainer, image: string): string => {
  const mounted = mounts.map(({ volume, at, readOnly }) => [volume, at, readOnly])
  return digest(JSON.stringify([image, memoryMb, mounted, ...(serves ? [serves.port, serves.env.reveal()] : [])]))
}

/** Variables of a container that serves. */
export const serverEnv = ({ port, env }: NonNullable<KeptContainer['serves']>): Record<string, string> => ({
  ...{ HOST: '127.0.0.1', ...env.reveal(), PORT: String(port) },
})

export const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32)

/** Waits for commands. The image's own command does not run. */
export const waiting = ['/bin/sh', '-c', 'trap "exit 0" TERM; while :; do sleep 3600 & wait; done']
