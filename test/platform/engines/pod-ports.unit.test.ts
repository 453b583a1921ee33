// Ports of pods: frames of `portforward` as a connection.
import { expect, test } from 'vitest'
import { connectPort } from '../../../src/platform/shared/adapters/kubernetes/connect-port.ts'
import type { KubernetesApi, Socket } from '../../../src/platform/shared/adapters/kubernetes/kubernetes-api.ts'
import type { OwnPods } from '../../../src/platform/shared/adapters/kubernetes/pods.ts'
import type { KeptContainer } from '../../../src/platform/shared/domain/engine.ts'

const kept: KeptContainer = { id: 'box', image: 'acme/box', memoryMb: 64 }

/** A kubelet that has connected to port 3000. */
async function connected(more: { kept?: KeptContainer; problem?: string; isClosed?: boolean } = {}) {
  const sent: Buffer[] = []
  const asked: string[] = []
  const did: string[] = []
  let onFrame: (channel: number, chunk: Buffer) => void = () => {}
  let onClose = () => {}
  const socket = {
    protocol: 'v4.channel.k8s.io',
    send(data: Buffer, done?: (error?: Error) => void) {
      sent.push(data)
      done?.(more.isClosed ? new Error('it is closed') : undefined)
    },
    once: (_event: 'close', listener: () => void) => {
      onClose = listener
    },
    ...{ close: () => did.push('close') && onClose(), terminate: () => did.push('terminate') },
    ...{ pause: () => did.push('pause'), resume: () => did.push('resume') },
  } as unknown as Socket
  const api = {
    async openSocket({ pod, action, query }: { pod: string; action: string; query: URLSearchParams }, frames: never) {
      asked.push(`${pod} ${action} ${query}`)
      onFrame = frames
      return socket
    },
  } as unknown as KubernetesApi
  const pods = {
    nameOf: ({ id }: { id: string }) => id,
    keep: async () => {
      asked.push('keep')
      return more.problem === undefined ? {} : { problem: more.problem }
    },
  } as unknown as OwnPods
  const connection = await connectPort({ api, pods }, more.kept ?? kept, 3_000)
  for (const channel of [0, 1]) onFrame(channel, Buffer.of(0xb8, 0x0b))
  return { connection, sent, asked, did, frame: onFrame, end: () => onClose() }
}

test('bytes arrive in both directions without the port, in frames of at most 64 kB', async () => {
  const { connection, sent, asked, frame, end } = await connected()
  const data = Buffer.alloc(150_000, 'a')

  connection.write(data)
  frame(0, Buffer.from('hel'))
  frame(0, Buffer.from('lo'))
  end()

  expect((await connection.toArray()).join('')).toBe('hello')
  expect(sent.every((each) => each[0] === 0 && each.length <= 64 * 1_024 + 1)).toBe(true)
  expect(Buffer.concat(sent.map((each) => each.subarray(1))).equals(data)).toBe(true)
  expect(asked).toEqual(['keep', 'box portforward ports=3000'])
})

test('a connection to a port at which nothing listens ends without a byte and without an error', async () => {
  const { connection, frame } = await connected({ isClosed: true })

  connection.write('GET / HTTP/1.1')
  frame(1, Buffer.from('connection refused'))

  expect(await connection.toArray()).toEqual([])
})

test('the kubelet waits while nobody reads', async () => {
  const { connection, did, frame } = await connected()

  for (let count = 0; count < 4; count++) frame(0, Buffer.alloc(64 * 1_024))

  expect(did).toContain('pause')
  connection.on('data', () => {})
  await new Promise((resolve) => connection.once('data', resolve))
  expect(did.at(-1)).toBe('resume')
})

test('the end of either side closes the connection', async () => {
  const [ours, theirs] = [await connected(), await connected()]

  ours.connection.end()
  theirs.end()
  await Promise.all(
    [ours, theirs].map(({ connection }) => new Promise((over) => connection.resume().once('close', over))),
  )

  expect([ours.did.includes('close'), theirs.connection.writableEnded]).toEqual([true, true])
})

test('a sandbox is started for a connection, and a server is not', async () => {
  const serves = { ...kept, serves: { port: 3_000, env: {} as never } }

  expect((await connected({ kept: serves })).asked).toEqual(['box portforward ports=3000'])
  await expect(connected({ problem: 'No room.' })).rejects.toThrow('No room.')
})
