import { Secret } from '../../../kit/crypto/secret.ts'
import type { KeptContainer } from '../../shared/domain/engine.ts'
import type { Document } from './resource.ts'

type Runtime = {
  image?: string
  memory: number
  ports?: Array<{ target: number }>
  envs?: Array<{ name: string; value: string }>
}

/** Their images listen at a port. */
export const servingKinds = ['agent', 'model'] as const

const serves = (kind: string): boolean => (servingKinds as readonly string[]).includes(kind)

type Images = { runtimeKindOf(image: string): string | undefined }

/** Whether its image runs in a container as a server. */
export const isServed = ({ runtimeKindOf }: Images, kind: string, spec: Document): boolean =>
  serves(kind) && runtimeKindOf((spec.runtime as Runtime | undefined)?.image ?? '') === 'container'

const defaultPort = 8_080

export const portIn = (spec: Document): number => (spec.runtime as Runtime).ports?.[0]?.target ?? defaultPort

export const variablesIn = (spec: Document): Secret<Record<string, string>> =>
  new Secret(Object.fromEntries(((spec.runtime as Runtime).envs ?? []).map(({ name, value }) => [name, value])))

/** `spec` has its secrets. */
export function servedContainer(id: string, spec: Document): KeptContainer {
  const { image = '', memory: memoryMb } = spec.runtime as Runtime
  return { id, image, memoryMb, serves: { port: portIn(spec), env: variablesIn(spec) } }
}
