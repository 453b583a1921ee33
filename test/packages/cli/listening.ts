// `causeway listen` as a process, and a receiver for what it forwards.
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { waitFor } from '../../support/oracles/wait-for.ts'

export type ReceivedMessage = { id: string; headers: Record<string, string>; body: string }

/** Answers as `answer` says; it may take its time. */
export async function startReceiver(answer: (seen: number) => Promise<number> | number = () => 200) {
  const received: ReceivedMessage[] = []
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const headers = req.headers as Record<string, string>
    received.push({ id: headers['webhook-id'] ?? '', headers, body: Buffer.concat(chunks).toString() })
    res.statusCode = await answer(received.length)
    res.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`
  const close = () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  return { url, received, ids: () => received.map(({ id }) => id), close }
}

export type Listener = { child: ChildProcess; output(): string; end(signal: NodeJS.Signals): Promise<number | null> }

export type ListenerStart = { program: string; url: string; key: string; tenant: string; folder: string }

export function startListener({ program, url, key, tenant, folder }: ListenerStart, ...more: string[]): Listener {
  const env = { CAUSEWAY_URL: url, CAUSEWAY_API_KEY: key, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder }
  const child = spawn(process.execPath, [program, 'listen', '--tenant', tenant, ...more], { env })
  let text = ''
  const keep = (chunk: Buffer) => {
    text += chunk
  }
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', keep)
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve))
  onTestFinished(() => void child.kill('SIGKILL'))
  return {
    child,
    output: () => text,
    end(signal) {
      child.kill(signal)
      return exit
    },
  }
}

export const isListening = ({ output }: Listener) =>
  waitFor('it listens', async () => output().includes('Listening to'))
