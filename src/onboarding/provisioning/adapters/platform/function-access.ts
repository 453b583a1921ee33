import { z } from 'zod'
import {
  EndedLogins,
  FunctionGrant,
  FunctionLogin,
  type FunctionLoginInput,
} from '../../../../contract/control-plane/function-access.ts'
import { RedeemedRepair } from '../../../../contract/control-plane/repairs.ts'
import { ToolCallPage } from '../../../../contract/control-plane/tool-calls.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import type { FunctionAccess } from '../../../domain/ports/function-access.ts'
import { paths } from './documents.ts'
import type { PlatformAnswer, PlatformHttp } from './platform-http.ts'

export function platformFunctionAccess(http: Pick<PlatformHttp, 'send'>): FunctionAccess {
  const pathOf = (functionName: string, rest: string) =>
    `${paths.functions}/${encodeURIComponent(functionName)}/${rest}`
  return {
    async createLogin({ workspace, functionName }, { id, label }, ttlSeconds) {
      const body: z.input<typeof FunctionLoginInput> = { endUser: { id, label }, expiresIn: ttlSeconds }
      const answer = await http.send('POST', pathOf(functionName, 'logins'), workspace, body)
      const { url, mcpUrl, expiresAt } = read(FunctionLogin, answer)
      return { url, mcpUrl, expiresAt: new Date(expiresAt) }
    },
    async endLogins({ workspace, functionName }, endUserId) {
      const path = pathOf(functionName, `logins?${new URLSearchParams({ endUserId })}`)
      read(EndedLogins, await http.send('DELETE', path, workspace))
    },
    async listGrants({ workspace, functionName }) {
      const answer = await http.send('GET', pathOf(functionName, 'grants'), workspace)
      return read(z.array(FunctionGrant), answer).map(({ createdAt, ...grant }) => ({
        ...grant,
        createdAt: new Date(createdAt),
      }))
    },
    async listCalls({ workspace, functionName }, limit) {
      // Leaves out our own health checks, which a user would read as access by a stranger.
      const wanted = `tool-calls?limit=${limit}&exceptOwn=true`
      const answer = await http.send('GET', pathOf(functionName, wanted), workspace)
      return read(ToolCallPage, answer).data.map(({ time, tool, outcome, caller }) => ({
        at: new Date(time),
        tool,
        succeeded: outcome === 'succeeded',
        caller: caller.name,
      }))
    },
    async redeemRepair({ workspace, connectionName }, ticket) {
      const path = `${paths.connections}/${encodeURIComponent(connectionName)}/repair-tickets`
      const answer = await http.send('POST', path, workspace, { ticket })
      if (answer.status === 404) return undefined
      const { id, page, caller } = read(RedeemedRepair, answer)
      return { id, page, endUserId: caller.endUserId, isRemembered: caller.isRemembered === true }
    },
    async revokeGrant({ workspace, functionName }, grantId) {
      const path = pathOf(functionName, `grants/${encodeURIComponent(grantId)}`)
      return (await http.send('DELETE', path, workspace)).status < 300
    },
  }
}

function read<Schema extends z.ZodType>(schema: Schema, { status, body }: PlatformAnswer): z.output<Schema> {
  const parsed = schema.safeParse(body)
  if (status >= 300 || !parsed.success)
    throw new DependencyError('platform_refused', { detail: `function access: ${status}` })
  return parsed.data
}
