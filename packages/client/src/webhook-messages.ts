import { Webhook } from 'standardwebhooks'
import { ArgumentError, WebhookError } from './errors.ts'
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
  secret: string | undefined | ReadonlyArray<string | undefined>,
): VerifiedEvent {
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    throw new ArgumentError('The body was parsed already: hand over the text or the bytes as they came.')
  }
  if (!headers) throw new ArgumentError('No headers were given: hand over those of the request.')
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

/** Secrets that are not set are left out, if there is one: while a secret is changed there may be two. */
function receiversFor(secret: Parameters<typeof verifyWebhook>[2]): Webhook[] {
  const secrets = [secret].flat().filter((each): each is string => Boolean(each))
  if (secrets.length === 0) throw new ArgumentError('No webhook secret was given: hand over the one of the endpoint.')
  return secrets.map(receiverFor)
}

function receiverFor(secret: string): Webhook {
  const words =
    'This is not a webhook secret: it begins with whsec_, and is shown once, when the endpoint is created or its secret is changed.'
  if (!secret.startsWith('whsec_')) throw new ArgumentError(words)
  try {
    return new Webhook(secret)
  } catch (cause) {
    throw new ArgumentError(words, { cause })
  }
}

/** Whoever sets up a receiver is to know which of the three it is. */
function reasonFor(signed: Record<string, string>): string {
  if (names.some((name) => !signed[name])) return `The message is not signed: it needs the headers ${names.join(', ')}.`
  const seconds = Math.abs(Date.now() / 1_000 - Number(signed['webhook-timestamp']))
  if (!(seconds <= 300))
    return 'The message was not signed in the last five minutes, or the clock of this machine is wrong.'
  return 'The message is not signed with this secret, or its body was changed on the way: hand over the bytes as they came.'
}

const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']

function headerOf(headers: MessageHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  return (Array.isArray(value) ? value[0] : value) ?? ''
}
