// Messages in the format of Standard Webhooks.
import { Webhook } from 'standardwebhooks'
import { FetchError, type GuardedFetch } from '../../../kit/fetch/guarded-fetch.ts'
import { retryAfterSeconds } from '../../../kit/fetch/retry-after.ts'
import type { WebhookMessage, WebhookSender } from '../../domain/ports/webhooks.ts'

export const webhookSender = (fetch: GuardedFetch): WebhookSender => ({
  mayCall: fetch.mayCall,
  async send(message) {
    try {
      const answer = await fetch(message.url, { method: 'POST', headers: headersOf(message), body: message.body })
      return {
        responseStatus: answer.status,
        retryAfterSeconds: retryAfterSeconds(answer.headers['retry-after'], Date.now()),
      }
    } catch (error) {
      if (error instanceof FetchError) return { failureReason: error.kind }
      throw error
    }
  },
})

const headersOf = ({ id, at, body, secrets, traceparent }: WebhookMessage) => ({
  'content-type': 'application/json',
  'user-agent': 'Causeway-Webhooks/1',
  ...(traceparent !== undefined && { traceparent }),
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
  // During a rotation there are several signatures; receivers accept any of them.
  'webhook-signature': secrets.map((secret) => new Webhook(secret.reveal()).sign(id, at, body)).join(' '),
})
