import { Webhook } from 'standardwebhooks'
import { WebhookError } from './errors.ts'
import type { WebhookEvent } from './types.ts'

export type MessageHeaders = Headers | Record<string, string | string[] | undefined>

/** A message with the id under which it can come more than once. */
export type VerifiedEvent = WebhookEvent & { id: string }

/**
 * The event in a message, if it was signed with one of the secrets, at most five minutes ago. `body` are the bytes as
 * they came, not parsed and written again. An event can come twice: remember its `id`. Types that are not known here
 * yet come through, too.
 */
export function verifyWebhook(
  body: string | Uint8Array,
  headers: MessageHeaders,
  secret: string | readonly string[],
): VerifiedEvent {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const signed = Object.fromEntries(names.map((name) => [name, headerOf(headers, name)]))
  const secrets = typeof secret === 'string' ? [secret] : secret
  const errors: unknown[] = []
  for (const each of secrets) {
    try {
      return { ...(new Webhook(each).verify(text, signed) as WebhookEvent), id: signed['webhook-id'] ?? '' }
    } catch (error) {
      errors.push(error)
    }
  }
  throw new WebhookError('The message is not signed with this secret, or too old.', { cause: errors[0] })
}

const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']

function headerOf(headers: MessageHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  return (Array.isArray(value) ? value[0] : value) ?? ''
}
