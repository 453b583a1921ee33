import { Pool } from 'undici'
import { type BrandedHeaders, brandedHeaders } from '../../../contract/headers.ts'
import type { Secret } from '../../../kit/secret.ts'
import { wholeAnswer } from '../../../kit/whole-answer.ts'
import { workspacePattern } from '../../domain/tenant.ts'
import { Trouble } from '../../domain/trouble.ts'

export type PlatformAddress = { baseUrl: string; apiKey: Secret; brand: string }

export type PlatformAnswer = { status: number; body: unknown }

export type PlatformHttp = {
  headers: BrandedHeaders
  /** Answers of 2xx, 404 and 409; anything else is thrown as Trouble. */
  send(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    workspace: string,
    body?: unknown,
  ): Promise<PlatformAnswer>
  ready(): Promise<boolean>
  close(): Promise<void>
}

const timeoutMs = 10_000

/** One pool of kept-alive connections to one trusted server. */
export function platformHttp({ baseUrl, apiKey, brand }: PlatformAddress): PlatformHttp {
  const base = new URL(baseUrl)
  const pool = new Pool(base.origin, { connections: 32, headersTimeout: timeoutMs, bodyTimeout: timeoutMs })
  const headers = brandedHeaders(brand)
  const authorization = `Bearer ${apiKey.reveal()}`

  return {
    headers,
    async send(method, path, workspace, body) {
      const call = {
        method,
        path: base.pathname + path,
        headers: {
          authorization,
          [headers.workspace]: soundWorkspace(workspace),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      }
      const answer = await wholeAnswer(pool, call).catch(() =>
        Promise.reject(new Trouble('platform_unavailable', {}, 'no answer')),
      )
      return judge(answer.status, answer.body.toString(), String(answer.headers['retry-after'] ?? ''))
    },
    async ready() {
      try {
        const { statusCode, body } = await pool.request({ method: 'GET', path: '/healthz', headersTimeout: 2_000 })
        await body.dump()
        return statusCode < 500
      } catch {
        return false
      }
    },
    close: () => pool.close(),
  }
}

// Header values are trimmed on their way out, so "acme " would silently become somebody else's "acme".
function soundWorkspace(workspace: string): string {
  if (!workspacePattern.test(workspace)) throw new Trouble('platform_refused', undefined, 'workspace')
  return workspace
}

function judge(status: number, text: string, retryAfter: string): PlatformAnswer {
  if (status < 300 || status === 404 || status === 409) return { status, body: parse(text) }
  const afterSeconds = /^\d{1,5}$/.test(retryAfter) ? Number(retryAfter) : undefined
  if (status === 429 || status === 408 || status >= 500) {
    throw new Trouble('platform_unavailable', { afterSeconds }, String(status))
  }
  throw new Trouble('platform_refused', undefined, String(status))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
