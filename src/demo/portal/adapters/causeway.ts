import { z } from 'zod'

const Permission = z.object({ scope: z.string(), description: z.string().optional() })

const Integration = z.object({
  id: z.string(),
  displayName: z.string(),
  description: z.string().default(''),
  permissions: z.array(Permission).default([]),
  available: z.boolean(),
})

const Cause = z.object({
  code: z.string(),
  whoseMove: z.enum(['user', 'tenant', 'support', 'operator', 'provider', 'platform']),
})

const UserWords = z.object({ title: z.string(), advice: z.string() })

const Connection = z.object({
  id: z.string(),
  integrationId: z.string(),
  name: z.string(),
  workspace: z.string(),
  functionName: z.string(),
  functionUrl: z.string(),
  status: z.string().default('active'),
  createdAt: z.coerce.date(),
  cause: Cause.nullish(),
  causeForUser: UserWords.optional(),
  upstreamAccount: z.object({ id: z.string(), label: z.string() }).nullish(),
})

const Link = z.object({
  id: z.string(),
  integrationId: z.string(),
  status: z.enum(['pending', 'linked', 'cancelled', 'denied', 'abandoned', 'failed', 'needs_attention']),
  progress: z.array(z.object({ step: z.string(), status: z.string() })),
  cause: Cause.nullish(),
  causeForUser: UserWords.optional(),
  connection: z.object({ id: z.string() }).nullish(),
  /** The same browser has to visit this URL before the link can end. */
  continueUrl: z.url({ protocol: /^https?$/ }).optional(),
})

const ConnectSession = z.object({ id: z.string(), url: z.url() })

const FunctionLogin = z.object({ url: z.url({ protocol: /^https?$/ }) })

const Task = z.object({ status: z.enum(['pending', 'done', 'failed']) })

const Problem = z.object({ title: z.string(), detail: z.string().optional(), code: z.string().optional() })

export type Integration = z.infer<typeof Integration>
export type Connection = z.infer<typeof Connection>
export type Link = z.infer<typeof Link>

export type Causeway = ReturnType<typeof causewayAt>

export class CausewayError extends Error {
  constructor(
    readonly status: number | undefined,
    readonly title: string,
    readonly detail: string,
  ) {
    super(title)
  }
}

export function causewayAt({ url, apiKey, tenant }: { url: string; apiKey: string; tenant: string }) {
  const ask = async <S extends z.ZodType>(schema: S, method: string, path: string, body?: object) => {
    const answer = await send(`${url}/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${apiKey}`, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    return schema.parse(answer)
  }
  return {
    integrations: async () =>
      (await ask(z.object({ data: z.array(Integration) }), 'GET', '/integrations?available=true')).data,
    /** Connections of one user, without the disconnected ones. */
    connections: async (endUserId: string) => {
      const path = `/connections?${new URLSearchParams({ tenantId: tenant, endUserId })}`
      const { data } = await ask(z.object({ data: z.array(Connection) }), 'GET', path)
      return data.filter(({ status }) => status !== 'disconnected')
    },
    connection: (id: string) => ask(Connection, 'GET', `/connections/${encodeURIComponent(id)}`),
    /** Marks the connection as broken if its grant is dead. */
    check: (id: string, reason: string) =>
      ask(z.unknown(), 'POST', `/connections/${encodeURIComponent(id)}/health-checks`, { reason }),
    relink: (id: string, session: { reason: string; returnUrl: string; completionChallenge: string }) =>
      ask(ConnectSession, 'POST', `/connections/${encodeURIComponent(id)}/relink-sessions`, session),
    disconnect: (id: string, reason: string) =>
      ask(Task, 'POST', `/connections/${encodeURIComponent(id)}/disconnect`, { reason }),
    functionLogin: (id: string) =>
      ask(FunctionLogin, 'POST', `/connections/${encodeURIComponent(id)}/function-logins`, {}),
    link: (id: string) => ask(Link, 'GET', `/links/${encodeURIComponent(id)}`),
    mint: (session: {
      integrationId: string
      endUser: { id: string; displayName: string; email: string }
      returnUrl: string
      completionChallenge: string
    }) => ask(ConnectSession, 'POST', '/connect-sessions', { tenantId: tenant, ...session }),
    complete: (id: string, completion: { completionCode: string; completionVerifier: string }) =>
      ask(Link, 'POST', `/connect-sessions/${encodeURIComponent(id)}/complete`, completion),
  }
}

async function send(url: string, init: RequestInit): Promise<unknown> {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(30_000) }).catch(() => undefined)
  if (!answer) throw new CausewayError(undefined, 'Causeway isn’t responding', 'Please try again in a moment.')
  const body: unknown = await answer.json().catch(() => undefined)
  if (answer.ok) return body
  const { title, detail } = Problem.catch({ title: 'Causeway rejected this' }).parse(body)
  throw new CausewayError(answer.status, title, detail ?? 'Please try again.')
}
