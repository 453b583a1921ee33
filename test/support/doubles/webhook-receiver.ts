// A tenant's receiver that remembers every message and can be told to misbehave.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { freePort } from '../../../src/kit/embedded/free-port.ts'

export type Message = { path: string; headers: Record<string, string>; body: string }

/** Does as it likes with the response: a status, a redirect, too much, or nothing at all. */
export type Reception = (res: ServerResponse, message: Message) => void

export type WebhookReceiver = Awaited<ReturnType<typeof startReceiver>>

/** On a free port, which nobody is given while it is away, or on one it had before. */
export async function startReceiver(port?: number) {
  const messages: Message[] = []
  const double = { messages, receive: answering(204) as Reception }
  const server = createServer(async (req, res) => {
    const message = { path: req.url ?? '', headers: req.headers as Record<string, string>, body: await textOf(req) }
    messages.push(message)
    double.receive(res, message)
  })
  const wanted = port ?? (await freePort())
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(wanted, '127.0.0.1', resolve))
  const { port: taken } = server.address() as AddressInfo
  return Object.assign(double, {
    port: taken,
    host: `127.0.0.1:${taken}`,
    url: `http://127.0.0.1:${taken}/hook`,
    /** Lets go of everybody who waits for an answer. */
    hangUp: () => server.closeAllConnections(),
    calm() {
      messages.length = 0
      double.receive = answering(204)
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}

export const answering =
  (status: number, headers: Record<string, string> = {}, body = ''): Reception =>
  (res) => {
    res.writeHead(status, headers).end(body)
  }

/** Accepts the message and never answers. */
export const silence: Reception = () => {}

/** What a receiver with this secret reads; throws when the signature is not good. */
export const verified = (secret: string, { body, headers }: Message) =>
  new Webhook(secret).verify(body, headers) as { type: string; timestamp: string; data: Record<string, unknown> }

async function textOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
