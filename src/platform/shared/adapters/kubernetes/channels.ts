// Streams of `attach` and `exec`: a byte for the channel, then data. Servers before 1.30 speak v4, which can't end the
// input of a command while its output continues (https://github.com/kubernetes/kubernetes/issues/89899).
import { setTimeout as pause } from 'node:timers/promises'
import type { KubernetesApi, Socket } from './kubernetes-api.ts'
import { containerName } from './pod-settings.ts'
import type { Exit } from './pod-state.ts'

export const channels = { stdin: 0, stdout: 1, stderr: 2, status: 3 }

const closeChannel = 255

export const chunkBytes = 64 * 1024

export function send(socket: Socket, text: string): void {
  const data = Buffer.from(text)
  for (let at = 0; at < data.length; at += chunkBytes)
    socket.send(Buffer.concat([Buffer.of(channels.stdin), data.subarray(at, at + chunkBytes)]))
}

/** The first connection that attaches sends the input. With v4, closing it ends the input. */
export function sendInput(api: KubernetesApi, pod: string, text: string, signal: AbortSignal) {
  const sent = (async () => {
    const socket = await attach(api, pod, signal)
    signal.addEventListener('abort', () => socket.terminate(), { once: true })
    send(socket, text)
    if (socket.protocol === 'v5.channel.k8s.io') return socket.send(Buffer.of(closeChannel, channels.stdin))
    const closed = new Promise<number>((resolve) => socket.once('close', resolve))
    socket.close()
    if ((await closed) === closedAbnormally) throw new Error('the connection broke')
  })()
  return {
    /** Resolves only if the input did not arrive and the command does not end without it. */
    lost: (exit: Promise<Exit | undefined>): Promise<'lost'> =>
      new Promise((resolve) => {
        sent.catch(async () => {
          await Promise.race([exit, pause(leftToEndMs)])
          resolve('lost')
        })
      }),
  }
}

/** WebSocket, RFC 6455 section 7.4.1: without a closing handshake. */
const closedAbnormally = 1_006

const maxAttempts = 8

/** Retries: the command waits for its input until a connection has attached. */
async function attach(api: KubernetesApi, pod: string, signal: AbortSignal): Promise<Socket> {
  // Without an output, the server ends the connection before the input has arrived.
  const query = new URLSearchParams({ container: containerName, stdin: 'true', stdout: 'true' })
  for (let attempts = 1; ; attempts++) {
    try {
      return await api.openSocket({ pod, action: 'attach', query }, () => undefined)
    } catch (error) {
      if (attempts === maxAttempts) throw error
      await pause(100 * 2 ** attempts, undefined, { signal })
    }
  }
}

/** A command that does not read its input may have ended before the connection. */
const leftToEndMs = 10_000
