import type { Secret } from '../../../kit/crypto/secret.ts'
import type { Trigger } from '../../shared/domain/callback.ts'
import { Failure } from '../../shared/domain/failure.ts'

export type Bytes = AsyncIterable<Uint8Array>

export type Mount = { name: string; mountPath: string; readOnly: boolean }

export type ModelApi = { type: string; model: string }

export type Workload = {
  id: string
  /** Also the ID of the container of the revision. */
  revision: string
  name: string
  displayName: string
  status: string
  image: string
  api: ModelApi | undefined
  memoryMb: number
  timeoutSeconds?: number | undefined
  /** Where the server of its image listens. */
  port: number
  /** Equal containers, under load. */
  maxContainers: number
  envs: Secret<Record<string, string>>
  connections: string[]
  triggers: Trigger[]
  volumes: Mount[]
  drives: Mount[]
  /** Functions whose accounts its commands may use. */
  functions: string[]
  policies: string[]
  /** Another revision and its percentage of the requests. */
  canary?: { percent: number; workload: Workload } | undefined
  /** How long a session stays with one revision. */
  stickySeconds?: number
}

type WorkloadKind = 'agent' | 'function' | 'model' | 'sandbox'

export type FindWorkload = (workspace: string, kind: WorkloadKind, name: string) => Promise<Workload | undefined>

export type Headers = Record<string, string | string[]>

/** Fires when the caller hangs up. An AbortSignal would do, but creating one per request is measurable. */
export type Gone = {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void, options?: { once: boolean }): void
}

export type WorkloadRequest = {
  method: string
  /** With the query; empty, or begins with a slash or a question mark. */
  path: string
  headers: Headers
  body: Bytes | string | null
  signal: Gone
  silentForMs?: number
  /** The container of a session. By default, one with room. */
  container?: string | undefined
  /** Called once, when the response or the request has ended. */
  ended?: () => void
}

export type Sink = {
  readonly writableNeedDrain: boolean
  write(chunk: Uint8Array): boolean
  end(chunk?: Uint8Array): unknown
  destroy(): unknown
  once(event: 'drain', listener: () => void): unknown
}

type PassingBody = Bytes & { passTo(sink: Sink): void }

/** `container`: which of several equal ones answered. */
export type WorkloadAnswer = { status: number; headers: Headers; body: Bytes | PassingBody; container?: string }

export type Serve = (request: WorkloadRequest) => Promise<WorkloadAnswer>

type Image = Pick<Workload, 'id' | 'revision' | 'image' | 'memoryMb' | 'port' | 'envs' | 'maxContainers'>

/** Undefined if the image cannot be such a workload here. */
export type Runtimes = Record<'agent' | 'function' | 'model', (image: Image) => Serve | undefined>

/** Limits the time to the response and between two parts of it. */
export const withOwnTimeout = (serve: Serve, { timeoutSeconds }: Workload): Serve =>
  timeoutSeconds === undefined ? serve : (request) => serve({ ...request, silentForMs: timeoutSeconds * 1_000 })

/** Accepts requests during a deployment because nothing has to be started. */
export function running<W extends { status: string }>(found: W | undefined, word: string): W {
  if (!found) throw new Failure('resource_unknown', `No ${word} has this name.`)
  if (found.status === 'DEPLOYED' || found.status === 'DEPLOYING') return found
  throw new Failure('workload_unavailable', `The ${word} is ${found.status}; its events say why.`)
}
