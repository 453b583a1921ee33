// Differences between providers, from their references as read on 2026-11-16:
// - OpenAI (OpenAPI document 2.3.0): `Authorization: Bearer`; with `stream_options.include_usage` a stream ends with a
// chunk that has `usage` and no choices.
// - Anthropic (docs.anthropic.com, api/messages and api/openai-sdk): `x-api-key` and `anthropic-version` at
// /v1/messages; like OpenAI at /v1/chat/completions, including `stream_options`.
import { addressSecrets } from '../../../contract/control-plane/integration-connection.ts'
import type { Secret } from '../../../kit/crypto/secret.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { parseBounded, TooManyParts } from './bounded-json.ts'
import type { Connection } from './connection.ts'
import type { Headers, ModelApi } from './workload.ts'

type Provider = {
  baseUrl?: string
  first: string
  /** Inference only: the key of a connection could manage the whole account. */
  operations: readonly string[]
  /** Other providers may reject the unknown member `stream_options`. */
  reportsStreams: boolean
}

const openAiOperations = ['chat/completions', 'completions', 'responses', 'embeddings', 'moderations']

const providers: Record<string, Provider> = {
  openai: {
    baseUrl: 'https://api.openai.com/v1',
    first: 'chat/completions',
    operations: openAiOperations,
    reportsStreams: true,
  },
  anthropic: {
    baseUrl: 'https://api.anthropic.com/v1',
    first: 'messages',
    operations: ['messages', 'messages/count_tokens', 'chat/completions'],
    reportsStreams: true,
  },
}

const compatible: Provider = { first: 'chat/completions', operations: openAiOperations, reportsStreams: false }

const providerOf = ({ type }: ModelApi): Provider =>
  (Object.hasOwn(providers, type) ? providers[type] : undefined) ?? compatible

const keyNames = ['API_KEY', 'APIKEY', 'apiKey', 'KEY', 'TOKEN']
const urlNames = addressSecrets

/** A copied line break is a common mistake. Limited in length because every chunk is searched for the key. */
const sendableKey = /^[\x21-\x7e]{1,2048}$/

const firstOf = (secrets: Record<string, string>, names: readonly string[]): string | undefined =>
  names.map((name) => secrets[name]).find((value) => value !== undefined && value !== '')

export const keyIn = (secrets: Secret<Record<string, string>>): string | undefined =>
  firstOf(secrets.reveal(), keyNames)

export function missingSecrets(api: ModelApi, names: readonly string[]): string[] {
  const has = (known: readonly string[]) => known.some((name) => names.includes(name))
  return [
    ...(has(keyNames) ? [] : ['API_KEY']),
    ...(has(urlNames) || providerOf(api).baseUrl !== undefined ? [] : ['BASE_URL']),
  ]
}

type ModelRequest = {
  baseUrl: string
  path: string
  headers: Headers
  body: string
  hidesUsage: boolean
  isFree: boolean
}

type AskedModel = { api: ModelApi; connection: Connection; path: string; headers: Headers; body: string }

export function modelRequest({ api, connection, path, headers, body }: AskedModel): ModelRequest {
  const provider = providerOf(api)
  const { operation, query } = operationOf(provider, path)
  const secrets = connection.secrets.reveal()
  const [key, baseUrl] = [firstOf(secrets, keyNames), firstOf(secrets, urlNames) ?? provider.baseUrl]
  if (key === undefined || baseUrl === undefined) {
    const missing = missingSecrets(api, Object.keys(secrets)).join(' and ') || 'a value of API_KEY'
    throw new Failure(
      'connection_unusable',
      `The connection ${connection.name} lacks ${missing}: its owner must set it.`,
    )
  }
  if (!sendableKey.test(key)) {
    const problem = 'has an invalid key: it must be 1 to 2,048 ASCII characters without spaces and line breaks'
    throw new Failure('connection_unusable', `The connection ${connection.name} ${problem}. Its owner must set it.`)
  }
  const isAnthropic = api.type === 'anthropic' && operation !== 'chat/completions'
  const rewritten = rewriteBody(api, provider, operation, body)
  return {
    baseUrl: api.type === 'anthropic' ? versioned(baseUrl) : baseUrl,
    path: `/${operation}${query}`,
    headers: { ...sentAlong(headers, isAnthropic), ...(isAnthropic ? { 'x-api-key': key } : bearer(key)) },
    ...rewritten,
    isFree: freeOperations.has(operation),
  }
}

const freeOperations = new Set(['moderations', 'messages/count_tokens'])

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

/** Anthropic's clients omit the version from the address. */
const versioned = (baseUrl: string) => (/\/v1\/?$/.test(baseUrl) ? baseUrl : `${baseUrl.replace(/\/$/, '')}/v1`)

function operationOf({ first, operations }: Provider, path: string): { operation: string; query: string } {
  const [asked = '', query] = path.split('?', 2)
  const operation = asked.replace(/^\/(v1(\/|$))?/, '').replace(/\/$/, '') || first
  if (operations.includes(operation)) return { operation, query: query ? `?${query}` : '' }
  throw new Failure(
    'route_unknown',
    `Unknown operation. This model supports ${operations.map((each) => `/${each}`).join(', ')}.`,
  )
}

const anthropicVersion = '2023-06-01'

/** No other headers of the caller are sent to a third party. */
function sentAlong(headers: Headers, isAnthropic: boolean): Headers {
  const { accept, 'anthropic-version': version = anthropicVersion, 'anthropic-beta': beta } = headers
  return {
    'content-type': 'application/json',
    'accept-encoding': 'identity',
    'user-agent': 'causeway',
    ...(accept !== undefined && { accept }),
    ...(isAnthropic && { 'anthropic-version': version, ...(beta !== undefined && { 'anthropic-beta': beta }) }),
  }
}

function rewriteBody(api: ModelApi, { reportsStreams }: Provider, operation: string, body: string) {
  const sent = { ...parseObject(body), model: api.model }
  const { stream, stream_options: options } = sent as { stream?: unknown; stream_options?: { include_usage?: unknown } }
  const canReport = reportsStreams && operation.endsWith('completions') && stream === true
  const hidesUsage = canReport && options?.include_usage !== true
  const asked = hidesUsage ? { ...sent, stream_options: { ...options, include_usage: true } } : sent
  return { body: JSON.stringify(asked), hidesUsage }
}

function parseObject(body: string): object {
  try {
    const value = parseBounded(body)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch (error) {
    if (error instanceof TooManyParts) throw new Failure('body_too_large', 'The body has too many values.')
  }
  throw new Failure('input_invalid', 'The body must be a JSON object.')
}
