import { PassThrough } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import {
  CoreV1Api,
  createConfiguration,
  Exec,
  KubeConfig,
  Log,
  NetworkingV1Api,
  ServerConfiguration,
  Watch,
} from '@kubernetes/client-node'
import { within } from '../../../../kit/process/background-work.ts'
import { ignoreError } from '../../../../kit/process/ignore-error.ts'

export type KubernetesApi = ReturnType<typeof openKubernetesApi>

const maxCallMs = 30_000

/** Without a kubeconfig, the service account of the pod that this process runs in. */
export function openKubernetesApi(kubeconfig: string | undefined, wantedNamespace: string | undefined) {
  const config = new KubeConfig()
  if (kubeconfig) config.loadFromFile(kubeconfig)
  else config.loadFromCluster()
  const namespace = wantedNamespace ?? config.getContextObject(config.currentContext)?.namespace ?? 'default'
  const server = config.getCurrentCluster()?.server ?? ''
  const client = createConfiguration({
    baseServer: new ServerConfiguration(server, {}),
    authMethods: { default: config },
    promiseMiddleware: [
      {
        async pre(request) {
          request.setSignal(AbortSignal.timeout(maxCallMs))
          return request
        },
        post: async (answer) => answer,
      },
    ],
  })
  return {
    namespace,
    core: new CoreV1Api(client),
    networking: new NetworkingV1Api(client),

    /** Calls `onEvent` until the stream or the signal ends. Events may be late, repeated or missing. */
    async watchPods(query: Record<string, string>, onEvent: (type: string, pod: unknown) => void, signal: AbortSignal) {
      if (signal.aborted) return
      const path = `/api/v1/namespaces/${namespace}/pods`
      const stream = new Watch(config)
      let end = (): void => undefined
      const ended = new Promise<void>((resolve) => {
        end = resolve
      })
      signal.addEventListener('abort', end)
      const opening = stream.watch(path, { ...query, timeoutSeconds }, onEvent, end)
      await ended
      signal.removeEventListener('abort', end)
      opening.then((open) => open.abort(), ignoreError('it was not opened'))
    },

    /** The log so far. Kubernetes mixes both outputs in it. */
    async readLog(pod: string, container: string, add: (chunk: Buffer) => void): Promise<void> {
      const text = new PassThrough()
      const reading = (async () => {
        for await (const chunk of text) add(chunk)
      })()
      const opening = new Log(config).log(namespace, pod, container, text, {})
      const stream = await within(opening, maxCallMs)
      if (stream) await within(reading, maxCallMs)
      opening.then((late) => late.abort(), ignoreError('it was not opened'))
      if (!stream) throw new Error('the cluster did not open the log')
    },

    /** Frames have one byte for the channel. */
    async openSocket(
      call: { pod: string; action: 'attach' | 'exec' | 'portforward'; query: URLSearchParams },
      onFrame: (channel: number, chunk: Buffer) => void,
    ) {
      const path = `/api/v1/namespaces/${namespace}/pods/${call.pod}/${call.action}?${call.query}`
      const opening = new Exec(config).handler.connect(path, null, (channel, chunk) => {
        onFrame(channel, chunk)
        return true
      })
      const socket = (await within(opening, maxCallMs)) as Socket | undefined
      if (socket) return socket
      opening.then((late) => (late as Socket).terminate(), ignoreError('it is too late'))
      throw new Error('the cluster did not open the stream')
    },
  }
}

const timeoutSeconds = 240

/** The members of `ws` sockets that this engine uses. */
export type Socket = {
  protocol: string
  send(data: Buffer, sent?: (error?: Error) => void): void
  close(): void
  terminate(): void
  pause(): void
  resume(): void
  once(event: 'close', listener: (code: number) => void): void
}

export const statusOf = (error: unknown): number | undefined => (error as { code?: number }).code

/** The server answers 429 before it does anything, so every call can be repeated. */
export async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (let attempts = 0; ; attempts++) {
    try {
      return await call()
    } catch (error) {
      if (statusOf(error) !== tooManyRequests || attempts === maxRepeats) throw error
      const { 'retry-after': seconds = '1' } = (error as { headers?: Record<string, string> }).headers ?? {}
      await pause(Math.min(Number(seconds) || 1, maxRetryAfterSeconds) * 1_000 * (0.5 + Math.random()))
    }
  }
}

const tooManyRequests = 429
const maxRepeats = 4
const maxRetryAfterSeconds = 10

/** Undefined if the object does not exist. */
export const unlessGone = <T>(call: () => Promise<T>): Promise<T | undefined> =>
  patiently(call).catch((error) => {
    if (statusOf(error) === 404) return undefined
    throw error
  })

/** False if an object with this name exists. */
export const unlessThere = (call: () => Promise<unknown>): Promise<boolean> =>
  patiently(call).then(
    () => true,
    (error) => {
      if (statusOf(error) === 409) return false
      throw error
    },
  )
