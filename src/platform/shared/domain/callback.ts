import { createHmac } from 'node:crypto'
import type { CallbackBody } from '../../../contract/gateway/requests.ts'
import type { BrandedHeaders } from '../../../contract/headers.ts'

export type Trigger = {
  type: string
  enabled: boolean
  configuration: {
    authenticationType?: string
    callbackUrl?: string
    callbackSecret?: string
    retry?: number
    timeout?: number
    path?: string
    schedule?: string
    tasks?: Array<Record<string, unknown>>
  }
}

export type Callback = { url: string; secret: string | undefined; attempts: number; timeoutMs: number }

/** `refused`: the URL is not allowed, so a retry would not help. */
export type Delivery = { taken: true } | { taken: false; refused: boolean; reason: string }

export type SendCallback = (url: string, headers: Record<string, string>, body: string) => Promise<Delivery>

export const maxClaims = 3

/** After this many claims, the item may be the cause of the crashes, so no other item is processed with it. */
export const suspectClaims = 2

export const lostDelivery: Delivery = { taken: false, refused: true, reason: 'every process that sent it was lost' }

const maxMs = 15 * 60_000

/** The first enabled trigger with a callback. `http-async` triggers take precedence. */
export function callbackOf(triggers: readonly Trigger[]): Callback | undefined {
  const telling = triggers.filter(({ enabled, configuration }) => enabled && configuration.callbackUrl)
  const trigger = telling.find(({ type }) => type === 'http-async') ?? telling[0]
  const { callbackUrl, callbackSecret, retry = 3, timeout } = trigger?.configuration ?? {}
  if (callbackUrl === undefined) return undefined
  const timeoutMs = timeout ? Math.min(timeout * 1000, maxMs) : maxMs
  return { url: callbackUrl, secret: callbackSecret, attempts: retry + 1, timeoutMs }
}

/** Also receives the response of a synchronous request: the callback of an `http` trigger for this path or for any path. */
export function httpCallbackOf(triggers: readonly Trigger[], path: string): Callback | undefined {
  const asked = pathFromRoot(path.split('?', 1)[0])
  return callbackOf(
    triggers.filter(
      ({ type, configuration }) =>
        type === 'http' && (configuration.path === undefined || pathFromRoot(configuration.path) === asked),
    ),
  )
}

export const pathFromRoot = (path = ''): string => `/${path.replace(/^\/+/, '')}`

/** For the owner. Only names the host, because the rest of the URL may contain a secret. */
export const undeliveredMessage = (url: string, { reason }: { reason: string }): string =>
  `A callback to ${new URL(url).host} could not be delivered and was given up: ${reason}.`

export function callbackBody(status: number, body: string, length: number, now: Date): string {
  const sent: CallbackBody = {
    status_code: status,
    response_body: body,
    response_length: length,
    timestamp: unixSeconds(now),
  }
  return JSON.stringify(sent)
}

const unixSeconds = (time: Date) => Math.floor(time.getTime() / 1000)

export function callbackHeaders(headers: BrandedHeaders, secret: string | undefined, body: string, now: Date) {
  const signature = secret && `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  return {
    'content-type': 'application/json',
    [headers.timestamp]: String(unixSeconds(now)),
    ...(signature && { [headers.signature]: signature }),
  }
}
