import type { Duplex } from 'node:stream'
import Docker from 'dockerode'
import { within } from '../../../../kit/process/background-work.ts'
import { ignoreError } from '../../../../kit/process/ignore-error.ts'

/** Also of Podman, which serves the same API. */
export type DockerApi = InstanceType<typeof Docker>

/** dockerode would otherwise read `DOCKER_HOST` and the certificates that it names. */
const fromEnvironment = { host: undefined, port: undefined, ca: undefined, cert: undefined, key: undefined } as object

export function openDockerApi(url: string): DockerApi {
  const { protocol, pathname, hostname, port } = new URL(url)
  const at = protocol === 'unix:' ? { socketPath: pathname } : { host: hostname, port: port || '2375' }
  return new Docker({ ...fromEnvironment, protocol: 'http', ...at })
}

export const statusOf = (error: unknown): number | undefined => (error as { statusCode?: number }).statusCode

const isGone = (error: unknown) => statusOf(error) === 404

export const unlessGone = <T>(call: Promise<T>): Promise<T | undefined> =>
  call.catch((error) => {
    if (isGone(error)) return undefined
    throw error
  })

const maxCallMs = 30_000

/** An engine that hangs must not hold a request or a loop. */
export const timely = <T>(call: (options: { abortSignal: AbortSignal }) => Promise<T>): Promise<T> =>
  call({ abortSignal: AbortSignal.timeout(maxCallMs) })

/** For calls whose connection becomes a stream, which a signal would destroy later. */
export async function hijacked<T>(call: Promise<T>): Promise<Duplex> {
  const stream = (await within(call, maxCallMs)) as Duplex | undefined
  if (stream) return stream
  call.then((late) => (late as Duplex).destroy(), ignoreError('it is too late'))
  throw new Error('the engine did not open the stream')
}

/** Not dockerode's `attach`: it sends its options as a body, which Podman passes to the command as input. */
export const attachTo = ({ modem }: DockerApi, name: string): Promise<Duplex> =>
  hijacked(
    new Promise((resolve, reject) => {
      const options = { stream: true, stdin: true, stdout: true, stderr: true }
      const call = { path: `/containers/${name}/attach?`, method: 'POST', hijack: true, isStream: true, options }
      const statusCodes = { 200: true, 404: 'no such container', 500: 'server error' }
      modem.dial({ ...call, statusCodes, file: Buffer.alloc(0) } as never, (error: unknown, stream: unknown) =>
        error ? reject(error) : resolve(stream),
      )
    }),
  )
