// Raw HTTP requests that no client would send.
import { execSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** Reads until the server closes the connection or stops sending. */
export async function exchange(address: string, text: string): Promise<string> {
  const socket = await dial(address)
  let answer = ''
  let quietTurns = 0
  socket.on('data', (chunk) => {
    answer += chunk
    quietTurns = 0
  })
  socket.write(text)
  // Counts event loop turns, not time: after a long pause of the process the rest of the response is still unread.
  while (!socket.closed && (answer === '' || quietTurns++ < 15)) await pause(20)
  socket.destroy()
  return answer
}

export async function dial(address: string): Promise<Socket> {
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {}) // a server that cuts us off is what is tested
  await once(socket, 'connect')
  return socket
}

/** Opens silent connections in batches that fit the backlog of a listening socket. */
export async function idle(address: string, count: number): Promise<Socket[]> {
  const sockets: Socket[] = []
  while (sockets.length < count) {
    const group = Math.min(200, count - sockets.length)
    sockets.push(...(await Promise.all(Array.from({ length: group }, () => dial(address)))))
  }
  return sockets
}

/** Bounded by the open file limit: this process holds one end of each connection. */
export const manySilent = () => Math.min(5_000, descriptorsAllowed() - 2_000)

function descriptorsAllowed(): number {
  const said = execSync('ulimit -Hn', { encoding: 'utf8' }).trim()
  return said === 'unlimited' ? Number.POSITIVE_INFINITY : Number(said)
}

/**
 * Measures the CPU time of responses beside many silent connections, relative to before. Wall time would also measure
 * the machine.
 */
export async function besideIdle(address: string, figures: string, count: number) {
  const statuses = new Set<number>()
  const spent = () => leastOf(3, () => spentOnAnswers(address, figures, statuses))
  const before = await spent()
  const silent = await idle(address, count)
  const beside = await spent()
  for (const socket of silent) socket.destroy()
  return { statuses, cost: beside / before }
}

/** Background work does not occur in every round. */
async function leastOf(rounds: number, measure: () => Promise<number>): Promise<number> {
  const measured: number[] = []
  for (let round = 0; round < rounds; round++) measured.push(await measure())
  return Math.min(...measured)
}

async function spentOnAnswers(address: string, figures: string, statuses: Set<number>): Promise<number> {
  const since = await processorSeconds(figures)
  for (let asked = 0; asked < 100; asked++) {
    const answer = await fetch(`${address}/healthz`)
    await answer.text()
    statuses.add(answer.status)
  }
  return (await processorSeconds(figures)) - since
}

async function processorSeconds(figures: string): Promise<number> {
  const text = await (await fetch(figures)).text()
  return Number(/^\w*process_cpu_seconds_total (\S+)/m.exec(text)?.[1])
}

export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])

export const bodyOf = (answer: string): string => answer.slice(answer.indexOf('\r\n\r\n') + 4)

export const unreadable: Array<[what: string, status: number, request: (path: string) => string]> = [
  ['headers of 17 kB', 431, (path) => `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Pad: ${'x'.repeat(17_000)}\r\n\r\n`],
  [
    'two kinds of length',
    400,
    (path) =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n\r\n`,
  ],
  [
    'two different lengths',
    400,
    (path) => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello`,
  ],
  ['a line break in a header', 400, (path) => `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Service-Workspace: a\nb\r\n\r\n`],
  ['no host', 400, (path) => `GET ${path} HTTP/1.1\r\n\r\n`],
  ['no request at all', 400, () => 'HELLO\r\n\r\n'],
  [
    'an expectation nobody has',
    417,
    (path) => `POST ${path} HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\nContent-Length: 2\r\n\r\n{}`,
  ],
]
