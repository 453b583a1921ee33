import { Secret } from '../../../kit/crypto/secret.ts'
import { type KeptContainer, replicaId } from '../../shared/domain/engine.ts'
import type { ServedRevisions } from './ports.ts'
import type { Document } from './resource.ts'
import { currentRevision, isServing, type RevisedKind, servesImages, trafficOf } from './revisions.ts'

type Runtime = {
  image?: string
  minScale?: number | undefined
  maxScale?: number | undefined
  memory: number
  ports?: Array<{ target: number }>
  envs?: Array<{ name: string; value: string }>
}

type Images = { runtimeKindOf(image: string): string | undefined }

/** Whether its image runs in a container as a server. */
export const isServed = ({ runtimeKindOf }: Images, kind: string, spec: Document): boolean =>
  servesImages(kind, spec) && runtimeKindOf((spec.runtime as Runtime | undefined)?.image ?? '') === 'container'

const defaultPort = 8_080

export const portIn = (spec: Document): number => (spec.runtime as Runtime).ports?.[0]?.target ?? defaultPort

export const variablesIn = (spec: Document): Secret<Record<string, string>> =>
  new Secret(Object.fromEntries(((spec.runtime as Runtime).envs ?? []).map(({ name, value }) => [name, value])))

/** `spec` has its secrets. */
export function servedContainer(id: string, spec: Document): KeptContainer {
  const { image = '', memory: memoryMb } = spec.runtime as Runtime
  return { id, image, memoryMb, serves: { port: portIn(spec), env: variablesIn(spec) } }
}

/** Max number of equal containers. */
const maxContainers = 10

export function scaleOf({ minScale = 0, maxScale = 1 }: Pick<Runtime, 'minScale' | 'maxScale'>) {
  const min = Math.min(minScale, maxContainers)
  return { min, max: Math.max(min, Math.min(maxScale, maxContainers)) }
}

export const scaleIn = (spec: Document) => scaleOf(spec.runtime as Runtime)

/** `id` is the ID of a container, and `resource` the ID of its agent or model. */
export type ServedImage = {
  id: string
  revision: string
  resource: string
  workspace: string
  kind: RevisedKind
  name: string
  image: string
}

/** Requests that are under way end before the container of an earlier revision is removed. */
const lingerMs = 60_000

/**
 * The containers of each revision that gets requests, or is being deployed. A use starts one that `mayRun`; `always` means
 * that it runs without one. One that `lingers` gets no new requests.
 */
export function containersOf(served: ServedRevisions, now: Date) {
  const { id: resource, workspace, kind, name, spec, status, earlier, settledAt } = served
  if (!servesImages(kind, spec)) return []
  const current = { id: currentRevision(served), ...(spec.runtime as Runtime) }
  const { active, canary } = trafficOf(served)
  const isTried = (id: string) => id === current.id && status === 'DEPLOYING'
  const isUsed = (id: string) => id === active || id === canary || isTried(id)
  const lingers = now.getTime() - settledAt.getTime() < lingerMs
  return [current, ...earlier]
    .filter(({ id }) => isUsed(id) || lingers)
    .flatMap(({ id: revision, image = '', ...runtime }) => {
      const { min, max } = scaleOf(runtime)
      const mayRun = isUsed(revision) && (isServing(served) || isTried(revision))
      return Array.from({ length: max }, (_, number) => ({
        ...{ id: replicaId(revision, number), revision, resource, image, workspace, kind, name },
        ...{ mayRun, always: mayRun && number < min, lingers: lingers && !isUsed(revision) },
      }))
    })
}
