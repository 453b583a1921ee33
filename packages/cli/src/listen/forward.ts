import { createHmac } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Event } from '@causeway/client'
import { Webhook } from 'standardwebhooks'
import type { Credentials } from '../credentials.ts'

export type Answer = { status: number; ms: number }

type Target = { target: string; secret: string; stopped: AbortSignal; report(line: string): void }

const slowMs = 30_000
const maxDelayMs = 10_000

/** Derived from the API key, so every run with the same key signs with the same secret and nothing is stored. */
export const signingSecret = ({ apiKey }: Credentials, tenantId: string): string =>
  `whsec_${createHmac('sha256', apiKey).update(`causeway listen ${tenantId}`).digest('base64')}`

/** Sends an event until the target responds, with any status. */
export const forwarder = ({ target, secret, stopped, report }: Target) => {
  const slow = () => report(`${target} has not responded for ${slowMs / 1_000} seconds. Still waiting.`)
  return async (event: Event): Promise<Answer> => {
    for (let attempt = 1; ; attempt += 1) {
      const timer = setTimeout(slow, slowMs)
      try {
        return await send(target, secret, event, stopped)
      } catch (error) {
        stopped.throwIfAborted()
        const { code, message } = error as Error & { code?: string }
        if (attempt === 1) report(`${target} does not respond (${code ?? message}). Retrying.`)
        await sleep(Math.min(maxDelayMs, 250 * 2 ** attempt), undefined, { signal: stopped })
      } finally {
        clearTimeout(timer)
      }
    }
  }
}

/** Signs and sends like a webhook delivery (Standard Webhooks), but without a timeout: a debugger may halt the server. */
function send(url: string, secret: string, { id, type, timestamp, data }: Event, signal: AbortSignal): Promise<Answer> {
  const body = JSON.stringify({ type, timestamp, data })
  const at = new Date()
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': 'causeway-cli',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  }
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    const request = url.startsWith('https:') ? httpsRequest : httpRequest
    // No keep-alive: the server may close an idle connection just as the next message is sent over it.
    const sent = request(url, { method: 'POST', headers, agent: false, signal }, (response) => {
      response.on('error', () => {}) // only the status is used
      response.resume()
      resolve({ status: response.statusCode ?? 0, ms: Math.round(performance.now() - startedAt) })
    })
    sent.once('error', reject)
    sent.end(body)
  })
}
