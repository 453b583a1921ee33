import { Secret } from '../../../kit/crypto/secret.ts'
import type { KeptContainer } from '../../shared/domain/engine.ts'
import type { ServedRevisions } from './ports.ts'
import type { Document } from './resource.ts'
import { currentRevision, isServing, type RevisedKind, trafficOf } from './revisions.ts'

type Runtime = {
  image?: string
  memory: number
  ports?: Array<{ target: number }>
  envs?: Array<{ name: string; value: string }>
}

/** Their images listen at a port. */
const servingKinds = ['agent', 'model'] as const

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

export type ServedImage = { id: string; workspace: string; kind: RevisedKind; name: string; image: string }

/** Requests that are under way end before the container of an earlier revision is removed. */
const lingerMs = 60_000

/** One for each revision that gets requests, or is being deployed. `lingers`: it gets no new requests. */
export function containersOf(served: ServedRevisions, now: Date) {
  const { workspace, kind, name, spec, status, earlier, updatedAt } = served
  const current = { id: currentRevision(served), image: (spec.runtime as Runtime).image ?? '' }
  const { active, canary } = trafficOf(served)
  const isTried = (id: string) => id === current.id && status === 'DEPLOYING'
  const isUsed = (id: string) => id === active || id === canary || isTried(id)
  const lingers = now.getTime() - updatedAt.getTime() < lingerMs
  return [current, ...earlier]
    .filter(({ id }) => isUsed(id) || lingers)
    .map(({ id, image }) => {
      const isWanted = isUsed(id) && (isServing(served) || isTried(id))
      return { id, image, workspace, kind, name, isWanted, lingers: lingers && !isUsed(id) }
    })
}
