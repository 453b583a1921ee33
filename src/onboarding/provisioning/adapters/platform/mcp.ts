import { type Client, ProtocolError, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { type ToolErrorCode, ToolErrorMeta } from '../../../../contract/gateway/tool-result.ts'
import { type BrandedHeaders, bearer } from '../../../../contract/headers.ts'
import type { Cause, CauseWith } from '../../../domain/cause.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import type { BrokenGrantCause, ToolTry } from '../../../domain/health/health.ts'
import { InsufficientScope } from '../../../domain/mcp/step-up.ts'
import type { CallObserver } from '../../../domain/ports/provider.ts'
import { failure as noAnswer, noted } from '../noted-calls.ts'
import { askFunction, type Target } from './function-client.ts'
import { timeout, toolsAtOnce } from './function-fetch.ts'
import { assertPlatformOrigin, misconfigured, type PlatformAddress, traceHeaders } from './platform-http.ts'

// The library's schemas would collect every error: gigabytes and half a minute for a malicious megabyte.
const Tools = z.looseObject({ tools: z.array(z.unknown()) })
const ToolName = z.looseObject({ name: z.string() })
const Outcome = z.looseObject({ isError: z.boolean().optional(), _meta: z.unknown().optional() })

const maxTools = 1_000

type Asking = { address: PlatformAddress; headers: BrandedHeaders; by?: CallObserver | undefined }

export const listTools = (functionUrl: string, asking: Asking) =>
  atFunction(functionUrl, asking, async (target): Promise<{ tools: string[] }> => {
    const list = (client: Client) => client.request({ method: 'tools/list' }, Tools, { timeout })
    const ask = async () => (await toolsAtOnce(target.url, target.headers)) ?? (await askFunction(target, list)).tools
    const tools = await noted(asking.by?.note, 'verification', ask, { of: () => ({ status: 200 }), failed })
    return {
      tools: z
        .array(ToolName)
        .parse(tools.slice(0, maxTools))
        .map(({ name }) => name),
    }
  })

function failed(error: unknown) {
  if (error instanceof SdkHttpError) return { status: error.status }
  if (error instanceof UnauthorizedError) return { status: 401 }
  return error instanceof ProtocolError ? { status: 200, error: 'mcp_error' } : noAnswer(error)
}

/** Shows whether the third party still accepts the grant. The tool's output is never stored or shown. */
export const tryTool = (
  functionUrl: string,
  asking: Asking,
  { name, arguments: given }: { name: string; arguments: Readonly<Record<string, unknown>> },
) =>
  atFunction(functionUrl, asking, async (target): Promise<ToolTry> => {
    const request = { method: 'tools/call', params: { name, arguments: { ...given } } } as const
    const result = await askFunction(target, (client) => client.request(request, Outcome, { timeout }))
    return result.isError ? failure(result._meta) : { failed: false }
  })

/** A missing or unknown code says nothing about the grant. */
function failure(meta: unknown): ToolTry {
  const { data } = ToolErrorMeta.safeParse(meta)
  const cause = data && causes[data.code]
  return {
    failed: true,
    cause,
    unexplained: data?.code === 'refresh_refused',
    unclear: data && operatorCauses[data.code],
    scope: data?.scope,
  }
}

/** Nothing was sent, or nothing readable: the profile's tool name or arguments are wrong. */
const operatorCauses: Partial<Record<ToolErrorCode, CauseWith<{ whoseMove: 'operator' }>>> = {
  profile_mismatch: 'profile_mismatch',
  arguments_invalid: 'profile_mismatch',
  tool_not_offered: 'profile_mismatch',
  address_blocked: 'address_blocked',
  server_redirects: 'mcp_server_redirects',
  rate_limited: 'check_held_back',
  tool_held: 'check_held_back',
  approval_required: 'check_held_back',
  approval_declined: 'check_held_back',
}

const causes: Record<ToolErrorCode, BrokenGrantCause | undefined> = {
  not_linked: undefined,
  grant_revoked: 'grant_revoked',
  insufficient_scope: 'scope_insufficient',
  client_rejected: 'client_rejected',
  refresh_refused: undefined,
  profile_mismatch: undefined,
  address_blocked: undefined,
  server_redirects: undefined,
  third_party_unavailable: undefined,
  third_party_error: undefined,
  arguments_invalid: undefined,
  rate_limited: undefined,
  tool_not_offered: undefined,
  tool_held: undefined,
  approval_required: undefined,
  approval_declined: undefined,
}

async function atFunction<T>(
  functionUrl: string,
  { address, headers, by }: Asking,
  ask: (target: Target) => Promise<T>,
): Promise<T> {
  assertPlatformOrigin(functionUrl, address)
  const key = { [headers.authorization]: bearer(address.apiKey.reveal()), ...(by && traceHeaders(by)) }
  try {
    return await ask({ url: new URL(`${functionUrl}/mcp`), headers: key })
  } catch (error) {
    if (isKeyRejected(error)) throw misconfigured('verification: PLATFORM_API_KEY is not accepted')
    const behind = error instanceof ProtocolError ? errorBehind(error.data) : undefined
    if (behind) throw behind
    throw new DependencyError(isRefusal(error) ? 'function_failed' : 'platform_unavailable', {
      retry: {},
      detail: 'verification',
    })
  }
}

function errorBehind(meta: unknown): DependencyError | undefined {
  const { data } = ToolErrorMeta.safeParse(meta)
  if (!data) return undefined
  const broken = causes[data.code]
  if (broken === 'scope_insufficient') return new InsufficientScope(data.scope, 'verification')
  if (broken) return new DependencyError(broken, { detail: 'verification' })
  const final = finalCauses[data.code]
  if (final) return new DependencyError(final, { detail: 'verification' })
  const passing = passingCauses[data.code]
  return passing && new DependencyError(passing, { retry: {}, detail: 'verification' })
}

const finalCauses: Partial<Record<ToolErrorCode, Cause>> = {
  address_blocked: 'address_blocked',
  server_redirects: 'mcp_server_redirects',
}

const passingCauses: Partial<Record<ToolErrorCode, Cause>> = {
  refresh_refused: 'refresh_refused',
  profile_mismatch: 'profile_mismatch',
  third_party_unavailable: 'provider_unavailable',
  third_party_error: 'provider_unavailable',
}

const isKeyRejected = (error: unknown): boolean =>
  error instanceof UnauthorizedError || (error instanceof SdkHttpError && [401, 403].includes(error.status))

function isRefusal(error: unknown): boolean {
  const status = error instanceof SdkHttpError ? error.status : 0
  return status >= 400 && status < 500 && status !== 408 && status !== 429
}
