import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { Webhook } from 'standardwebhooks'

export type Message = { id: string; body: string }

/** The receiver answered, or the connection broke; `mayHaveArrived` then says whether anything was sent over it. */
export type Forwarded = { status: number; ms: number } | { status: undefined; reason: string; mayHaveArrived: boolean }

/**
 * Sends one message as a delivery of ours would be sent (Standard Webhooks), and waits for the answer for as long as
 * the connection stands: whoever halts their server in a debugger must not get the message a second time.
 */
export function forward(url: string, secret: string, { id, body }: Message): Promise<Forwarded> {
  const at = new Date()
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': 'causeway-cli',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  }
  const from = performance.now()
  return new Promise((resolve) => {
    const send = url.startsWith('https:') ? httpsRequest : httpRequest
    let mayHaveArrived = false
    // A connection of its own: one that was used before may be closed by the receiver at the very moment it is used.
    const request = send(url, { method: 'POST', headers, agent: false }, (answer) => {
      answer.on('error', () => {}) // The status is all we want, and it is here.
      answer.resume()
      resolve({ status: answer.statusCode ?? 0, ms: Math.round(performance.now() - from) })
    })
    const connected = url.startsWith('https:') ? 'secureConnect' : 'connect'
    request.once('socket', (socket) =>
      socket.once(connected, () => {
        mayHaveArrived = true
      }),
    )
    request.once('error', (error: Error & { code?: string }) =>
      resolve({ status: undefined, reason: error.code ?? error.message, mayHaveArrived }),
    )
    request.end(body)
  })
}
