import { createHmac } from 'node:crypto'
import type { CallbackBody } from '../../../contract/gateway/requests.ts'
import type { BrandedHeaders } from '../../../contract/headers.ts'

/** What calls a workload, or where its results are sent. */
export type Trigger = {
  type: string
  enabled: boolean
  configuration: {
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

/** `refused`: its address is not one that is called from here, and trying again would not help. */
export type Delivery = { taken: true } | { taken: false; refused: boolean; reason: string }

export type SendCallback = (url: string, headers: Record<string, string>, body: string) => Promise<Delivery>

/** A callback that crashes its process must not be tried for ever. */
export const mostClaims = 3

/**
 * Claimed so often without a word of what became of it, it may be the reason that processes are lost: no two such
 * things are worked on at the same time. One loss has other reasons too often, and all that a process had would wait.
 */
export const suspectClaims = 2

export const lostDelivery: Delivery = { taken: false, refused: true, reason: 'every process that sent it was lost' }

const longestMs = 15 * 60_000

/** Where an answer goes: the first trigger that says so, whatever its type; one that is asynchronous by name before others. */
export function callbackOf(triggers: readonly Trigger[]): Callback | undefined {
  const telling = triggers.filter(({ enabled, configuration }) => enabled && configuration.callbackUrl)
  const trigger = telling.find(({ type }) => type === 'http-async') ?? telling[0]
  const { callbackUrl, callbackSecret, retry = 3, timeout } = trigger?.configuration ?? {}
  if (callbackUrl === undefined) return undefined
  const timeoutMs = timeout ? Math.min(timeout * 1000, longestMs) : longestMs
  return { url: callbackUrl, secret: callbackSecret, attempts: retry + 1, timeoutMs }
}

/**
 * Where the answer of a request that was waited for goes as well: the callback of an `http` trigger for this path, or of
 * one for any.
 */
export function httpCallbackOf(triggers: readonly Trigger[], path: string): Callback | undefined {
  const asked = pathFromRoot(path.split('?', 1)[0])
  return callbackOf(
    triggers.filter(
      ({ type, configuration }) =>
        type === 'http' && (configuration.path === undefined || pathFromRoot(configuration.path) === asked),
    ),
  )
}

/** Owners write it with a slash before it and without. */
export const pathFromRoot = (path = ''): string => `/${path.replace(/^\/+/, '')}`

/** For the owner, who alone can fix it. It names the host only: the rest of an address may contain a secret. */
export const undeliveredMessage = (url: string, { reason }: { reason: string }): string =>
  `A callback to ${new URL(url).host} could not be delivered and was given up: ${reason}.`

export function callbackBody(status: number, body: string, length: number, now: Date): string {
  const told: CallbackBody = {
    status_code: status,
    response_body: body,
    response_length: length,
    timestamp: now.toISOString(),
  }
  return JSON.stringify(told)
}

/** The receiver computes the same over the raw body, and refuses old timestamps. */
export function callbackHeaders(headers: BrandedHeaders, secret: string | undefined, body: string, now: Date) {
  const signature = secret && `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  return {
    'content-type': 'application/json',
    [headers.timestamp]: String(Math.floor(now.getTime() / 1000)),
    ...(signature && { [headers.signature]: signature }),
  }
}
