import type { Trigger } from '../../shared/domain/callback.ts'
import { Failure } from '../../shared/domain/failure.ts'

export type Bytes = AsyncIterable<Uint8Array>

export type Mount = { name: string; mountPath: string; readOnly: boolean }

/** What a provider runs: `type` names it, and `model` is the model as the provider calls it. */
export type ModelApi = { type: string; model: string }

/** An agent, a model or a sandbox, as the gateway needs it. */
export type Workload = {
  id: string
  name: string
  displayName: string
  status: string
  image: string
  /** Of a model without an image. */
  api: ModelApi | undefined
  memoryMb: number
  connections: string[]
  triggers: Trigger[]
  volumes: Mount[]
  drives: Mount[]
}

export type WorkloadKind = 'agent' | 'model' | 'sandbox'

export type FindWorkload = (workspace: string, kind: WorkloadKind, name: string) => Promise<Workload | undefined>

export type Headers = Record<string, string | string[]>

/** Fires when nobody waits for the answer any more. An AbortSignal is one; making that for every request would show. */
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
  /** How long the workload may be silent, where that is not the usual time. */
  silentForMs?: number
}

/** Where an answer goes: the part of a writable stream that this takes. */
export type Sink = {
  readonly writableNeedDrain: boolean
  write(chunk: Uint8Array): boolean
  end(chunk?: Uint8Array): unknown
  destroy(): unknown
  once(event: 'drain', listener: () => void): unknown
}

/** A body that can hand itself over without a stream in between. */
export type PassingBody = Bytes & { passTo(sink: Sink): void }

export type WorkloadAnswer = { status: number; headers: Headers; body: Bytes | PassingBody }

/** Whatever runs a workload answers requests; it throws a Failure when it cannot. */
export type Serve = (request: WorkloadRequest) => Promise<WorkloadAnswer>

export type Runtimes = { agent(image: string): Serve | undefined; model(image: string): Serve | undefined }

/** A workload whose deployment is under way takes requests as well: nothing has to be started for it. */
export function running<W extends { status: string }>(found: W | undefined, word: string): W {
  if (!found) throw new Failure('resource_unknown', `No ${word} has this name.`)
  if (found.status === 'DEPLOYED' || found.status === 'DEPLOYING') return found
  throw new Failure('workload_unavailable', `The ${word} is ${found.status}; its events say why.`)
}
