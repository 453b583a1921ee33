import { connect } from 'node:net'
import type pg from 'pg'
import { ignoreError } from '../process/ignore-error.ts'

const cancelRequestCode = 80877102 // PostgreSQL's protocol 3.0, CancelRequest
const timeoutMs = 2_000

/** A server whose commit waits for a standby does not notice that the client has left, and keeps the connection. */
export function cancelStatement(client: pg.Client): void {
  const { host, port, processID, secretKey } = client as pg.Client & Record<'processID' | 'secretKey', number | null>
  if (processID === null || secretKey === null) return
  const request = Buffer.alloc(16)
  for (const [at, value] of [request.length, cancelRequestCode, processID, secretKey].entries())
    request.writeInt32BE(value, at * 4)
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  socket.on('error', ignoreError('the server is away'))
  socket.setTimeout(timeoutMs, () => socket.destroy())
  socket.end(request)
}
