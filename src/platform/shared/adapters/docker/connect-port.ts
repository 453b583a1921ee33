import { Duplex } from 'node:stream'
import type { KeptContainer } from '../../domain/engine.ts'
import type { OwnContainers } from './containers.ts'
import { type DockerApi, hijacked, timely } from './docker-api.ts'
import { partsOf, stderrOutput } from './read-outputs.ts'

type Parts = { api: DockerApi; containers: OwnContainers }

/**
 * The container has no network, so a program inside makes the connection: bash (Bash manual, "Redirections") or nc. It
 * ends when either side closes. bash tries IPv4 and IPv6.
 */
const forward = `if command -v bash >/dev/null; then
exec bash -c '{ exec 3<>"/dev/tcp/127.0.0.1/$1"; } 2>/dev/null || { exec 3<>"/dev/tcp/::1/$1"; } 2>/dev/null || exit 111
(cat <&3; kill -KILL 0) & cat >&3; kill -KILL 0' bash "$1"
fi
exec nc 127.0.0.1 "$1"`

/** Ends without a byte if nothing listens. */
export async function connectPort(
  { api, containers }: Parts,
  kept: KeptContainer,
  port: number,
): Promise<NodeJS.ReadWriteStream> {
  // Servers are not started by requests: one that ends again and again pauses, and a request may have older variables.
  const { problem } = kept.serves ? {} : await containers.keep(kept)
  if (problem !== undefined) throw new Error(problem)
  const exec = await timely((options) =>
    api.getContainer(containers.nameOf({ kind: 'kept', id: kept.id })).exec({
      ...{ AttachStdin: true, AttachStdout: true, AttachStderr: true, Tty: false, ...options },
      Cmd: ['/bin/sh', '-c', forward, 'port', String(port)],
    }),
  )
  const stream = await hijacked(exec.start({ hijack: true, stdin: true }))
  async function* arriving() {
    for await (const { output, chunk } of partsOf(stream)) if (output !== stderrOutput) yield chunk
  }
  const connection = Duplex.from({ readable: arriving(), writable: stream })
  connection.once('close', () => stream.destroy())
  return connection
}
