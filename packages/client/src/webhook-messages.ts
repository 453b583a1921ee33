import { Webhook } from 'standardwebhooks'
import { ArgumentError, WebhookError } from './errors.ts'
import type { WebhookEvent } from './types.ts'

export type MessageHeaders = Headers | Record<string, string | string[] | undefined>

/** `id` is the same if the message is delivered again. */
export type VerifiedEvent = WebhookEvent & { id: string }

/**
 * Returns the event if the message was signed with one of the secrets in the last five minutes. `body` is the raw request
 * body. Handle each `id` once, because messages can arrive twice. Unknown event types are returned as well.
 */
export function verifyWebhook(
  body: string | Uint8Array,
  headers: MessageHeaders,
  secret: string | undefined | ReadonlyArray<string | undefined>,
): VerifiedEvent {
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    throw new ArgumentError('The body was parsed already: pass the raw request body.')
  }
  if (!headers) throw new ArgumentError('No headers were given: pass the request headers.')
  const receivers = receiversFor(secret)
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const signed = Object.fromEntries(names.map((name) => [name, headerOf(headers, name)]))
  const errors: unknown[] = []
  for (const receiver of receivers) {
    try {
      return { ...(receiver.verify(text, signed) as WebhookEvent), id: signed['webhook-id'] ?? '' }
    } catch (error) {
      errors.push(error)
    }
  }
  throw new WebhookError(reasonFor(signed), { cause: errors[0] })
}

/** Ignores unset secrets. There may be two while a secret is rotated. */
function receiversFor(secret: Parameters<typeof verifyWebhook>[2]): Webhook[] {
  const secrets = [secret].flat().filter((each): each is string => Boolean(each))
  if (secrets.length === 0) throw new ArgumentError('No webhook secret was given: pass the secret of the endpoint.')
  return secrets.map(receiverFor)
}

function receiverFor(secret: string): Webhook {
  const words =
    'This is not a webhook secret: it begins with whsec_ and is shown once, when the endpoint is created or its secret is rotated.'
  if (!secret.startsWith('whsec_')) throw new ArgumentError(words)
  try {
    return new Webhook(secret)
  } catch (cause) {
    throw new ArgumentError(words, { cause })
  }
}

function reasonFor(signed: Record<string, string>): string {
  if (names.some((name) => !signed[name])) return `The message is not signed: it needs the headers ${names.join(', ')}.`
  const seconds = Math.abs(Date.now() / 1_000 - Number(signed['webhook-timestamp']))
  if (!(seconds <= 300))
    return 'The message was not signed in the last five minutes, or the clock of this machine is wrong.'
  return 'The message is not signed with this secret, or its body was changed: pass the raw request body.'
}

const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']

function headerOf(headers: MessageHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  return (Array.isArray(value) ? value[0] : value) ?? ''
}
