import { webhookHeaders } from '../../../kit/crypto/webhook-headers.ts'
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

const headersOf = ({ traceparent, ...message }: WebhookMessage) => ({
  ...webhookHeaders(message),
  ...(traceparent !== undefined && { traceparent }),
})
