import { Duplex } from 'node:stream'
import type { KeptContainer } from '../../domain/engine.ts'
import { chunkBytes } from './channels.ts'
import type { KubernetesApi, Socket } from './kubernetes-api.ts'
import type { OwnPods } from './pods.ts'

type Parts = { api: KubernetesApi; pods: OwnPods }

const [dataChannel, errorChannel] = [0, 1]

/**
 * By `portforward`: the kubelet connects to the loopback address of the pod, so no network policy has to allow it, and
 * the image needs no program for it. Ends without a byte if nothing listens.
 */
export async function connectPort({ api, pods }: Parts, kept: KeptContainer, port: number): Promise<Duplex> {
  // Servers are not started by requests: one that ends again and again pauses, and a request may have older variables.
  const { problem } = kept.serves ? {} : await pods.keep(kept)
  if (problem !== undefined) throw new Error(problem)
  let socket: Socket | undefined
  const connection = new Duplex({
    allowHalfOpen: false,
    read: () => socket?.resume(),
    write: (chunk: Buffer, _encoding, done) => sendAll(socket, chunk, done),
    // The protocol cannot end one direction only.
    final(done) {
      socket?.close()
      done()
    },
    destroy(error, done) {
      socket?.terminate()
      done(error)
    },
  })
  const withoutPort = portSkipper()
  let isOver = false
  const end = () => {
    isOver = true
    connection.push(null)
  }
  const call = { pod: pods.nameOf({ kind: 'kept', id: kept.id }), action: 'portforward' } as const
  socket = await api.openSocket({ ...call, query: new URLSearchParams({ ports: `${port}` }) }, (channel, frame) => {
    const chunk = withoutPort(channel, frame)
    if (chunk.length === 0 || isOver) return
    if (channel === errorChannel) end()
    else if (channel === dataChannel && !connection.push(chunk)) socket?.pause()
  })
  socket.once('close', end)
  return connection
}

/** The first frame of each channel begins with the port, in two bytes. */
function portSkipper() {
  const begun = new Set<number>()
  return (channel: number, frame: Buffer): Buffer => {
    if (begun.has(channel)) return frame
    begun.add(channel)
    return frame.subarray(2)
  }
}

/** What is written to a closed connection is lost without an error: the end of the other direction tells it. */
function sendAll(socket: Socket | undefined, data: Buffer, done: () => void): void {
  const frame = Buffer.concat([Buffer.of(dataChannel), data.subarray(0, chunkBytes)])
  socket?.send(frame, (error) => {
    if (error || data.length <= chunkBytes) done()
    else sendAll(socket, data.subarray(chunkBytes), done)
  })
}
