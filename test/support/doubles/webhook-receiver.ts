// A tenant's webhook receiver that records messages and misbehaves on demand.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { freePort } from '../../../src/kit/embedded/free-port.ts'

type Message = { path: string; headers: Record<string, string>; body: string }

type Reception = (res: ServerResponse, message: Message) => void

export type WebhookReceiver = Awaited<ReturnType<typeof startReceiver>>

/** The default is a free port that no other test gets while the receiver is down. */
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

export const silence: Reception = () => {}

/** Throws if the signature is invalid. */
export const verified = (secret: string, { body, headers }: Message) =>
  new Webhook(secret).verify(body, headers) as { type: string; timestamp: string; data: Record<string, unknown> }

async function textOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
