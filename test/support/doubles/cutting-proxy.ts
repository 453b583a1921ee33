// A TCP proxy that fails as networks do, between any two parties of a test.
import { connect, createServer, type Server, type Socket } from 'node:net'
import { freePort } from '../../../src/kit/embedded/free-port.ts'

type Mode =
  | { name: 'pass' }
  | { name: 'delay'; ms: number }
  | { name: 'drip'; bytes: number; everyMs: number }
  | { name: 'blackhole' }
  | { name: 'dropReply'; after: number }
  | { name: 'reset' }
  | { name: 'refuse' }
  | { name: 'cutAfter'; bytes: number }

/** A connection that lost bytes stays silent forever, as on a broken route. */
type Line = { near: Socket; far: Socket; lost: boolean }

export type CuttingProxy = Awaited<ReturnType<typeof startCuttingProxy>>

export async function startCuttingProxy(...targets: number[]) {
  const port = await freePort()
  const lines = new Set<Line>()
  let mode: Mode = { name: 'pass' }
  let ports = targets
  let server: Server | undefined
  let turn = 0
  let cuts = 0

  const cut = (line: Line, how: 'destroy' | 'resetAndDestroy' = 'destroy') => {
    line.near[how]()
    line.far[how]()
  }
  const cutAll = (how?: 'resetAndDestroy') => {
    cuts++
    for (const line of lines) cut(line, how)
  }

  const carry = (line: Line, chunk: Buffer, from: 'near' | 'far') => {
    const to = from === 'near' ? line.far : line.near
    if (line.lost) return
    if (mode.name === 'blackhole') line.lost = true
    else if (mode.name === 'delay') setTimeout(() => to.write(chunk), mode.ms)
    else if (from === 'far') reply(line, chunk)
    else to.write(chunk)
  }

  const reply = (line: Line, chunk: Buffer) => {
    if (mode.name === 'drip') drip(line, chunk, mode)
    else if (mode.name === 'dropReply' && --mode.after <= 0) {
      mode = { name: 'pass' }
      cut(line)
    } else if (mode.name === 'cutAfter') {
      line.near.write(chunk.subarray(0, mode.bytes))
      mode.bytes -= chunk.length
      if (mode.bytes <= 0) line.near.end(() => cut(line))
    } else line.near.write(chunk)
  }

  const accept = async (near: Socket) => {
    near.on('error', () => {})
    if (mode.name === 'reset') return void near.resetAndDestroy()
    near.pause()
    const cutsBefore = cuts
    const far = await reach(ports, turn++)
    // Cuts connections that were still opening.
    if (!far || near.destroyed || cuts !== cutsBefore) {
      near.destroy()
      return void far?.destroy()
    }
    const line: Line = { near, far, lost: false }
    lines.add(line)
    for (const side of ['near', 'far'] as const) {
      const other = side === 'near' ? far : near
      line[side].setNoDelay(true)
      line[side].on('data', (chunk) => carry(line, chunk, side))
      line[side].on('error', () => {})
      line[side].on('end', () => other.end())
      line[side].on('close', () => {
        lines.delete(line)
        other.destroy()
      })
    }
    near.resume()
  }

  const open = () =>
    new Promise<void>((resolve, reject) => {
      server = createServer({ allowHalfOpen: true }, (near) => void accept(near))
      server.once('error', reject)
      server.listen(port, '127.0.0.1', resolve)
    })
  const shut = () => {
    server?.close()
    server = undefined
  }

  await open()
  return {
    port,
    host: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}`,
    connections: () => lines.size,
    /** New connections rotate over these ports and skip closed ones. */
    toward(...others: number[]) {
      ports = others
    },
    async pass() {
      mode = { name: 'pass' }
      if (!server) await open()
    },
    delay(ms: number) {
      mode = { name: 'delay', ms }
    },
    drip(bytes: number, everyMs: number) {
      mode = { name: 'drip', bytes, everyMs }
    },
    /** Connections stay open, and every byte is lost. */
    blackhole() {
      mode = { name: 'blackhole' }
    },
    /** Passes the request and cuts the connection at the n-th chunk of the response. Later connections work. */
    dropReply(n = 1) {
      mode = { name: 'dropReply', after: n }
    },
    /** Resets open and new connections. */
    reset() {
      mode = { name: 'reset' }
      cutAll('resetAndDestroy')
    },
    /** Stops listening. */
    refuse() {
      mode = { name: 'refuse' }
      shut()
      cutAll()
    },
    /** Cuts the connection after this many bytes of the response. */
    cutAfter(bytes: number) {
      mode = { name: 'cutAfter', bytes }
    },
    /** Cuts open connections; new connections work. */
    cutOpen: () => cutAll(),
    close() {
      shut()
      cutAll()
    },
  }
}

async function reach(ports: readonly number[], turn: number): Promise<Socket | undefined> {
  for (let tried = 0; tried < ports.length; tried++) {
    const far = await dial(ports[(turn + tried) % ports.length] as number)
    if (far) return far
  }
  return undefined
}

function dial(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    far.once('connect', () => resolve(far))
    far.once('error', () => resolve(undefined))
  })
}

function drip({ near, far }: Line, chunk: Buffer, { bytes, everyMs }: { bytes: number; everyMs: number }) {
  far.pause()
  const timer = setInterval(() => {
    if (chunk.length === 0 || near.destroyed) {
      clearInterval(timer)
      far.resume()
      return
    }
    near.write(chunk.subarray(0, bytes))
    chunk = chunk.subarray(bytes)
  }, everyMs)
}
